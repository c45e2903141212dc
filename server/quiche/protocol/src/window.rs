//! How many bytes should be in flight: CUBIC (RFC 9438) for bursts of datagrams and short queues.
//!
//! quiche 0.30 undoes the reduction of its CUBIC unless a fifth of the window was lost, and its slow start (HyStart++)
//! fills a queue of 32 packets before it ends. It reports the number of lost packets and the round-trip time, but not
//! what was acknowledged. So this window grows with time, and [`crate::pacer`] spreads it over the round trip, which
//! keeps about as much in flight.

use std::time::{Duration, Instant};

/// RFC 9002 section 7.2.
pub(crate) const INITIAL_PACKETS: f64 = 10.0;
pub(crate) const LEAST_PACKETS: f64 = 2.0;

/// Packets per second cubed (RFC 9438 section 5.1).
const C: f64 = 0.4;
/// What a loss leaves of the window (RFC 9438 section 4.6).
pub(crate) const BETA: f64 = 0.7;
/// Packets per round trip that keep up with Reno at that BETA (RFC 9438 section 4.3).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// Most growth of the window in one round trip, as a share of it (RFC 9438 section 4.2).
const MOST_GROWTH: f64 = 0.5;

/// What a queue adds to the round trip before slow start pauses (RFC 9406 section 4.3).
const LEAST_RISE: Duration = Duration::from_millis(4);
const RISE_DIVISOR: u32 = 8;

/// What a growing queue adds to the round trip, as time and as a share.
const LEAST_QUEUE: Duration = Duration::from_millis(10);
const QUEUE_DIVISOR: u32 = 4;

/// What QUIC knows about the network path.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Smoothed (RFC 9002 section 5.3).
    pub rtt: Duration,
    /// The shortest round trip; `None` before the first sample.
    pub min_rtt: Option<Duration>,
    /// Packets lost so far.
    pub lost: usize,
    /// Bytes of a full packet.
    pub packet: usize,
}

impl Path {
    /// Whether packets wait in the path: the round trip takes a quarter, and 10 ms, longer than it could.
    pub fn queues_grow(&self) -> bool {
        self.min_rtt.is_some_and(|least| self.rtt > least + LEAST_QUEUE.max(least / QUEUE_DIVISOR))
    }
}

/// Whether there was always something to send since the last update: only a window that is used may grow
/// (RFC 9002 section 7.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    Full,
    Limited,
}

/// A second congestion window. All windows in packets, all times in seconds.
#[derive(Debug)]
pub struct Window {
    packets: f64,
    slow_start_ends_at: f64,
    /// Time since slow start last grew the window.
    paused: f64,
    /// The window before the last loss, where the curve is flat.
    plateau: f64,
    prior: f64,
    /// Reno's window.
    reno: f64,
    /// Time in use since the curve began.
    elapsed: f64,
    /// Time from the start of the curve to its plateau.
    k: f64,
    lost: usize,
    updated: Option<Instant>,
    /// Losses before that time belong to the same flight as the last loss.
    recovered: Option<Instant>,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            packets: INITIAL_PACKETS,
            slow_start_ends_at: f64::INFINITY,
            paused: 0.0,
            plateau: 0.0,
            prior: 0.0,
            reno: 0.0,
            elapsed: 0.0,
            k: 0.0,
            lost: 0,
            updated: None,
            recovered: None,
        }
    }
}

impl Window {
    /// The window in bytes, after what has happened since the last update.
    pub fn update(&mut self, now: Instant, path: &Path, demand: Demand) -> usize {
        let since = self.updated.map_or(Duration::ZERO, |updated| now.saturating_duration_since(updated));
        self.updated = Some(now);
        let recovering = self.recovered.is_some_and(|recovered| now < recovered);
        if path.lost > self.lost && !recovering {
            self.lose();
            self.recovered = Some(now + path.rtt);
        } else if demand == Demand::Full && !recovering {
            self.grow(since.min(path.rtt), path);
        }
        self.lost = path.lost;
        (self.packets * path.packet as f64) as usize
    }

    /// Whether the capacity of the path is not known yet.
    pub fn in_slow_start(&self) -> bool {
        self.packets < self.slow_start_ends_at
    }

    fn lose(&mut self) {
        // Fast convergence (RFC 9438 section 4.7): a plateau that was not reached again makes room for others.
        self.plateau = if self.packets < self.plateau { self.packets * (1.0 + BETA) / 2.0 } else { self.packets };
        self.prior = self.packets;
        self.packets = (self.packets * BETA).max(LEAST_PACKETS);
        self.begin_curve();
    }

    fn begin_curve(&mut self) {
        self.slow_start_ends_at = self.packets;
        self.plateau = self.plateau.max(self.packets);
        self.reno = self.packets;
        self.elapsed = 0.0;
        self.k = ((self.plateau - self.packets) / C).cbrt();
    }

    fn grow(&mut self, since: Duration, path: &Path) {
        let (Some(least), since, rtt) = (path.min_rtt, since.as_secs_f64(), path.rtt.as_secs_f64()) else { return };
        if !self.in_slow_start() {
            return self.follow_curve(since, rtt);
        }
        if path.rtt <= least + LEAST_RISE.max(least / RISE_DIVISOR) {
            self.packets += self.packets * since / rtt;
            self.paused = 0.0;
            return;
        }
        // A standing queue: slow start ends when it has lasted for a round trip.
        self.paused += since;
        if self.paused >= rtt {
            self.begin_curve();
        }
    }

    /// RFC 9438 sections 4.2 to 4.5.
    fn follow_curve(&mut self, since: f64, rtt: f64) {
        self.elapsed += since;
        self.reno += if self.reno < self.prior { ALPHA } else { 1.0 } * since / rtt;
        if self.curve(self.elapsed) < self.reno {
            self.packets = self.packets.max(self.reno);
        } else {
            let growth = (self.curve(self.elapsed + rtt) - self.packets).clamp(0.0, MOST_GROWTH * self.packets);
            self.packets += growth * since / rtt;
        }
    }

    fn curve(&self, elapsed: f64) -> f64 {
        self.plateau + C * (elapsed - self.k).powi(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(30);
    const STEP: Duration = Duration::from_millis(1);

    struct Link {
        now: Instant,
        path: Path,
        window: Window,
    }

    impl Link {
        fn new() -> Self {
            let path = Path { rtt: RTT, min_rtt: Some(RTT), lost: 0, packet: 1000 };
            Self { now: Instant::now(), path, window: Window::default() }
        }

        /// The window in packets after a number of round trips.
        fn after(&mut self, round_trips: u32, demand: Demand) -> f64 {
            for _ in 0..round_trips * 30 {
                self.now += STEP;
                self.window.update(self.now, &self.path, demand);
            }
            self.window.packets
        }
    }

    #[test]
    fn slow_start_pauses_for_a_queue_and_ends_when_it_stands() {
        let mut link = Link::new();
        let early = link.after(2, Demand::Full);
        assert!(early > 40.0);
        link.path.rtt = RTT * 2;
        link.after(1, Demand::Full);
        link.path.rtt = RTT;
        let later = link.after(1, Demand::Full);
        assert!(later > 2.0 * early);
        link.path.rtt = RTT * 2;
        link.after(3, Demand::Full);
        link.path.rtt = RTT;
        assert!(link.after(1, Demand::Full) < later + 3.0);
    }

    #[test]
    fn slow_start_ends_with_a_loss_and_queues_grow_by_a_quarter_of_the_round_trip() {
        let mut link = Link::new();
        link.after(1, Demand::Full);
        assert!(link.window.in_slow_start());
        link.path.lost = 1;
        link.after(1, Demand::Full);
        assert!(!link.window.in_slow_start());
        let grows = |least, rtt| {
            let (min_rtt, rtt) = (Some(Duration::from_millis(least)), Duration::from_millis(rtt));
            Path { rtt, min_rtt, lost: 0, packet: 1000 }.queues_grow()
        };
        assert_eq!([grows(30, 40), grows(30, 41), grows(100, 125), grows(100, 126)], [false, true, false, true]);
    }

    #[test]
    fn a_window_that_is_not_used_neither_grows_nor_is_forgotten() {
        let mut link = Link::new();
        assert!((link.after(100, Demand::Limited) - INITIAL_PACKETS).abs() < 1e-9);
        link.path.lost = 1;
        let window = link.after(1, Demand::Limited);
        assert!((link.after(2000, Demand::Limited) - window).abs() < 1e-9);
        // Nor does the curve go on meanwhile.
        assert!(link.after(2, Demand::Full) < window + 3.0);
    }

    #[test]
    fn the_losses_of_one_round_trip_shrink_the_window_once_however_few_they_are() {
        let mut link = Link::new();
        let window = link.after(3, Demand::Full);
        for _ in 0..10 {
            link.now += STEP;
            link.path.lost += 1;
            link.window.update(link.now, &link.path, Demand::Full);
        }
        assert!((link.window.packets - BETA * window).abs() < 1e-9);
        link.now += RTT;
        link.path.lost += 1;
        link.window.update(link.now, &link.path, Demand::Full);
        assert!((link.window.packets - BETA * BETA * window).abs() < 1e-9);
    }

    #[test]
    fn the_window_comes_back_to_where_it_was_lost_and_stays_there_before_it_grows_on() {
        let mut link = Link::new();
        let plateau = link.after(4, Demand::Full);
        link.path.lost += 1;
        let windows: Vec<_> = (0..600).map(|_| link.after(1, Demand::Full)).collect();
        let back = windows.iter().position(|window| *window > 0.98 * plateau).unwrap();
        assert!(windows[back + 20] < 1.02 * plateau);
        assert!(windows[599] > 1.2 * plateau);
    }
}
