//! Congestion control by delay while the session follows a growing file.

use std::time::{Duration, Instant};

use serde_json::Value;
use voxel_protocol::delay_window::Acknowledgement;
use voxel_protocol::live_control::LiveControl;
use voxel_protocol::window::Window;

use super::Connection;
use crate::log;
use crate::quic::{LiveControlChoice, PACKET_BYTES};

/// Packets that may leave beyond the window after a probe timeout (RFC 9002 section 6.2.4): without them nobody would learn what is lost.
const PROBE_PACKETS: u32 = 2;

/// A timer of quiche's that is due sooner is that of losses, which runs while something is in flight; else there is that of idleness alone.
const LONGEST_PROBE: Duration = Duration::from_secs(5);

/// The control of a live session, and what it has been told.
#[derive(Debug)]
pub struct Live {
    control: LiveControl,
    /// Whether the session follows a file now.
    is_used: bool,
    round_trips: RoundTrips,
    acknowledged: u64,
    lost: u64,
    probes: u32,
}

impl Connection {
    /// Begins, or goes on, where the session follows a file. quiche's BBRv2 has a window and a pace of its own.
    pub(super) fn control_live(&mut self, now: Instant, path: &quiche::PathStats) {
        let follows = self.shared.live_control == LiveControlChoice::Delay
            && self.quic.gcongestion_enabled() != Some(true)
            && self.responses.session_follows();
        match (&mut self.live, path.min_rtt) {
            (Some(live), _) => live.is_used = follows,
            (None, Some(least_rtt)) if follows => {
                let stats = self.quic.stats();
                self.live = Some(Live {
                    control: LiveControl::new(now, PACKET_BYTES, least_rtt),
                    is_used: true,
                    round_trips: RoundTrips { smoothed: path.rtt, variation: path.rttvar },
                    acknowledged: stats.acked_bytes,
                    lost: stats.lost_bytes,
                    probes: 0,
                });
            }
            (None, _) => {}
        }
    }

    /// Takes in what a packet of the client's acknowledges, or a timer of QUIC's has found lost; must be called after each.
    pub fn acknowledged(&mut self) {
        let Some(live) = &mut self.live else { return };
        // As late as quiche's own look at the clock: on a busy machine the rest of the server's is older.
        let now = Instant::now();
        let quiche::Stats { acked_bytes: acknowledged, lost_bytes: lost, .. } = self.quic.stats();
        let Some(path) = self.quic.path_stats().find(|path| path.active) else { return };
        let given = Acknowledgement {
            rtt: live.round_trips.latest(path.rtt, path.rttvar),
            smoothed_rtt: path.rtt,
            bytes: (acknowledged - live.acknowledged) as usize,
            lost: (lost - live.lost) as usize,
        };
        (live.acknowledged, live.lost) = (acknowledged, lost);
        if given.rtt.is_none() && given.bytes + given.lost == 0 {
            return;
        }
        if live.control.acknowledged(now, &given) {
            let by_delay = live.control.window().is_some();
            let control = if by_delay { "delay" } else { "ordinary" };
            log::info(
                "live control",
                &[("control", Value::from(control)), ("rtt", Value::from(path.rtt.as_millis() as u64))],
            );
            if !by_delay {
                // What it knew was of a sender that had less to send.
                self.window = Window::default();
            }
        }
    }

    /// Bytes that leave in a time, where the window by delay applies.
    pub(super) fn live_pace(&mut self) -> Option<(usize, Duration)> {
        let live = self.live.as_mut().filter(|live| live.is_used)?;
        let window = live.control.window()?;
        Some((window.paced_bytes(), window.least_rtt()))
    }

    /// Whether the window by delay lets nothing leave until something is acknowledged.
    pub(super) fn is_held(&mut self, now: Instant) -> bool {
        let Some(live) = self.live.as_mut().filter(|live| live.is_used && live.probes == 0) else { return false };
        // What was counted in flight may be gone, and then nothing would end it.
        let any_in_flight = self.quic.timeout_instant().is_some_and(|due| due < now + LONGEST_PROBE);
        let is_full = live.control.window().is_some_and(|window| !window.has_room());
        is_full && any_in_flight && self.quic.local_error().is_none()
    }

    /// Counts a packet that leaves.
    pub(super) fn count_sent(&mut self, now: Instant, bytes: usize) {
        self.pacer.sent(now, bytes);
        if let Some(live) = &mut self.live {
            live.control.sent(now, bytes);
            live.probes = live.probes.saturating_sub(1);
        }
    }

    /// A timer of QUIC's was due, which may ask for a probe.
    pub(super) fn let_probes_leave(&mut self) {
        if let Some(live) = &mut self.live {
            live.probes = PROBE_PACKETS;
        }
    }
}

/// The latest round trip, which quiche 0.30 does not tell, from how it moved the smoothed one: each moves that by an eighth of the
/// difference (RFC 9002 section 5.3). Exact, if it is asked after each packet.
#[derive(Debug)]
struct RoundTrips {
    smoothed: Duration,
    variation: Duration,
}

impl RoundTrips {
    /// `None`: nothing was acknowledged that tells one.
    fn latest(&mut self, smoothed: Duration, variation: Duration) -> Option<Duration> {
        if (smoothed, variation) == (self.smoothed, self.variation) {
            return None;
        }
        let latest = (8 * smoothed).saturating_sub(7 * self.smoothed);
        (self.smoothed, self.variation) = (smoothed, variation);
        Some(latest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The arithmetic is that of quiche 0.30.
        #[test]
        fn the_latest_round_trip_is_what_moved_the_smoothed_one(samples in proptest::collection::vec(1u64..2_000_000_000, 1..50)) {
            let first = Duration::from_millis(100);
            let mut round_trips = RoundTrips { smoothed: first, variation: first / 2 };
            let (mut smoothed, mut variation) = (first, first / 2);
            for sample in samples.into_iter().map(Duration::from_nanos) {
                variation = variation * 3 / 4 + smoothed.abs_diff(sample) / 4;
                smoothed = smoothed * 7 / 8 + sample / 8;
                let latest = round_trips.latest(smoothed, variation).unwrap_or(sample);
                prop_assert!(latest.abs_diff(sample) < Duration::from_nanos(50), "{latest:?} {sample:?}");
                prop_assert_eq!(round_trips.latest(smoothed, variation), None);
            }
        }
    }
}
