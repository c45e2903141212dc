//! The rate at which a path delivers what is sent while congestion control, and nothing else, holds the sender back.
//!
//! quiche's own rate takes a sender for limited by its application whenever less than quiche's window is in flight, as it always
//! is under [`crate::window`] and [`crate::pacer`]; then it never falls.

use std::time::{Duration, Instant};

use crate::window::Demand;

/// Measures once in a round trip. Acknowledgements of what left under full demand come a round trip later.
#[derive(Debug, Default)]
pub struct DeliveryRate {
    /// When there began to be always something to send.
    full_since: Option<Instant>,
    /// When there was no more.
    full_until: Option<Instant>,
    /// Where the present measurement begins: time and bytes acknowledged.
    begin: Option<(Instant, u64)>,
    rate: Option<f64>,
}

impl DeliveryRate {
    /// Bytes per second in the latest round trip that was measured; `None` before the first.
    pub fn get(&self) -> Option<f64> {
        self.rate
    }

    /// Takes in what has happened since the last update. `acknowledged`: bytes of all packets so far. `rtt`: smoothed.
    pub fn update(&mut self, now: Instant, acknowledged: u64, rtt: Duration, demand: Demand) {
        match (demand, self.full_since, self.full_until) {
            (Demand::Full, None, _) => self.full_since = Some(now),
            // What is acknowledged from now on left after a pause.
            (Demand::Full, _, Some(until)) if now > until => {
                *self = Self { full_since: Some(now), rate: self.rate, ..Self::default() };
            }
            (Demand::Limited, Some(_), None) => self.full_until = Some(now),
            _ => {}
        }
        let Some(since) = self.full_since else { return };
        if now < since + rtt {
            return;
        }
        match self.begin {
            None => self.begin = Some((now, acknowledged)),
            Some((begin, before)) if now >= begin + rtt && now > begin => {
                self.rate = Some((acknowledged - before) as f64 / (now - begin).as_secs_f64());
                self.begin = Some((now, acknowledged));
            }
            Some(_) => {}
        }
        if self.full_until.is_some_and(|until| now >= until + rtt) {
            *self = Self { rate: self.rate, ..Self::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(100);
    const STEP: Duration = Duration::from_millis(10);

    /// A path that acknowledges a thousand bytes in each step, beginning a round trip after the first was sent.
    struct Sender {
        start: Instant,
        steps: u32,
        acknowledged: u64,
        measured: DeliveryRate,
    }

    impl Sender {
        fn new() -> Self {
            Self { start: Instant::now(), steps: 0, acknowledged: 0, measured: DeliveryRate::default() }
        }

        fn run(&mut self, steps: u32, acknowledged: u64, demand: Demand) -> Option<f64> {
            for _ in 0..steps {
                self.steps += 1;
                self.acknowledged += acknowledged;
                self.measured.update(self.start + STEP * self.steps, self.acknowledged, RTT, demand);
            }
            self.measured.get()
        }
    }

    #[test]
    fn bytes_acknowledged_in_a_round_trip_are_the_rate() {
        let mut sender = Sender::new();
        assert_eq!(sender.run(10, 0, Demand::Full), None);
        assert_eq!(sender.run(12, 1000, Demand::Full), Some(100_000.0));
        // The latest round trip counts, in both directions.
        assert_eq!(sender.run(30, 500, Demand::Full), Some(50_000.0));
    }

    #[test]
    fn what_a_sender_with_little_to_send_had_acknowledged_does_not_count() {
        let mut sender = Sender::new();
        assert_eq!(sender.run(1000, 10, Demand::Limited), None);
        // Less than a round trip of full demand shows the beginning of a train alone.
        sender.run(5, 10, Demand::Full);
        assert_eq!(sender.run(1000, 10, Demand::Limited), None);
    }

    #[test]
    fn a_rate_lasts_while_there_is_nothing_to_send() {
        let mut sender = Sender::new();
        sender.run(10, 0, Demand::Full);
        sender.run(22, 1000, Demand::Full);
        assert_eq!(sender.run(10, 1000, Demand::Limited), Some(100_000.0));
        assert_eq!(sender.run(1000, 0, Demand::Limited), Some(100_000.0));
        assert_eq!(sender.run(10, 0, Demand::Full), Some(100_000.0));
        assert_eq!(sender.run(22, 2000, Demand::Full), Some(200_000.0));
    }
}
