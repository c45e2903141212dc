//! When the next packet may leave (RFC 9002 section 7.7): quiche 0.30 paces BBRv2 itself and CUBIC not at all.

use std::time::{Duration, Instant};

/// Packets that may always leave in a burst: the initial window.
const BURST_PACKETS: f64 = 10.0;

/// Packets due within this time leave at once: timers are not finer, and one system call sends more of them.
const GRANULARITY: Duration = Duration::from_millis(1);

/// A leaky bucket over bytes.
#[derive(Debug, Default)]
pub struct Pacer {
    /// Bytes that left before their time, at `updated`.
    debt: f64,
    updated: Option<Instant>,
    /// Bytes per second.
    rate: f64,
    burst: f64,
}

impl Pacer {
    /// Sets the rate from the congestion window and the smoothed RTT. `packet`: bytes of a full packet.
    pub fn update(&mut self, now: Instant, window: usize, rtt: Duration, packet: usize) {
        self.settle(now);
        self.rate = window as f64 / rtt.as_secs_f64().max(1e-6);
        self.burst = (BURST_PACKETS * packet as f64).max(self.rate * GRANULARITY.as_secs_f64() * 2.0);
    }

    /// Bytes per second: a congestion window in each round trip.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Counts a packet that leaves at `now`.
    pub fn sent(&mut self, now: Instant, bytes: usize) {
        self.settle(now);
        self.debt += bytes as f64;
    }

    /// The time at which the next packet may leave; `None`: now.
    pub fn release(&mut self, now: Instant) -> Option<Instant> {
        self.settle(now);
        if self.debt < self.burst {
            return None;
        }
        let excess = self.debt - self.burst + 1.0;
        Some(now + Duration::from_secs_f64(excess / self.rate).max(GRANULARITY))
    }

    fn settle(&mut self, now: Instant) {
        if let Some(updated) = self.updated {
            let elapsed = now.saturating_duration_since(updated);
            self.debt = (self.debt - elapsed.as_secs_f64() * self.rate).max(0.0);
        }
        self.updated = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: usize = 1350;

    /// Bytes that leave within `duration` when there is always a packet ready.
    fn sent_within(duration: Duration, window: usize, rtt: Duration) -> usize {
        let start = Instant::now();
        let (mut now, mut sent, mut pacer) = (start, 0, Pacer::default());
        while now < start + duration {
            pacer.update(now, window, rtt, PACKET);
            if let Some(later) = pacer.release(now) {
                now = later;
            } else {
                pacer.sent(now, PACKET);
                sent += PACKET;
            }
        }
        sent
    }

    #[test]
    fn a_window_leaves_per_round_trip_after_the_first_burst() {
        let rtt = Duration::from_millis(100);
        for window in [20_000, 200_000, 20_000_000] {
            let expected = 10.0 * window as f64;
            let sent = sent_within(Duration::from_secs(1), window, rtt) as f64;
            assert!((expected..expected * 1.1 + 10.0 * PACKET as f64).contains(&sent), "{window}: {sent}");
        }
    }

    #[test]
    fn an_idle_time_earns_one_burst_and_no_more() {
        let start = Instant::now();
        let mut pacer = Pacer::default();
        pacer.update(start, 100_000, Duration::from_secs(1), PACKET);
        let later = start + Duration::from_secs(60);
        let burst = (0..).take_while(|_| {
            let free = pacer.release(later).is_none();
            pacer.sent(later, PACKET);
            free
        });
        assert_eq!(burst.count(), 10);
    }
}
