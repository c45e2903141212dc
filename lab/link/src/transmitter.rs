use crate::trace::Trace;
use std::time::Duration;

/// Sends packets one after another at the rate of a trace, from a start within it.
#[derive(Debug, Clone)]
pub struct Transmitter {
    trace: Trace,
    /// The time in the trace at which the link's time 0 is.
    start: Duration,
    free_at: Duration,
}

impl Transmitter {
    pub fn new(trace: Trace, start: Duration) -> Self {
        Self { trace, start, free_at: Duration::ZERO }
    }

    /// When the packet before has been sent.
    pub fn free_at(&self) -> Duration {
        self.free_at
    }

    /// Sends a packet after the one before it, and not before `now`; returns when it has been sent.
    pub fn send(&mut self, now: Duration, bytes: usize) -> Duration {
        let begin = self.free_at.max(now) + self.start;
        self.free_at = self.trace.send(begin, bytes).saturating_sub(self.start);
        self.free_at
    }

    /// Bytes that can be sent between two times.
    pub fn capacity(&self, from: Duration, to: Duration) -> f64 {
        self.trace.capacity(to + self.start) - self.trace.capacity(from + self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        testing::ms,
        trace::{RateStep, RateTrace},
    };

    fn transmitter(start: Duration) -> Transmitter {
        let steps = [12.0, 1.2].map(|mbps| RateStep { seconds: 1.0, bits_per_second: mbps * 1e6 });
        Transmitter::new(Trace::Rates(RateTrace::new(steps.into()).expect("a valid trace")), start)
    }

    #[test]
    fn packets_follow_each_other() {
        let mut transmitter = transmitter(Duration::ZERO);
        assert_eq!(transmitter.send(ms(5), 1500), ms(6));
        assert_eq!(transmitter.send(ms(5), 1500), ms(7));
        assert_eq!(transmitter.send(ms(9), 1500), ms(10));
    }

    #[test]
    fn a_start_shifts_the_trace() {
        let mut transmitter = transmitter(ms(1500));
        assert_eq!(transmitter.send(ms(0), 1500), ms(10), "1.2 Mbit/s");
        assert_eq!(transmitter.send(ms(600), 1500), ms(601), "12 Mbit/s, in the second pass");
        assert!((transmitter.capacity(ms(400), ms(600)) - (15_000.0 + 150_000.0)).abs() < 1e-3);
    }
}
