use super::RateStep;
use crate::packet::FULL_PACKET_BYTES;
use std::time::Duration;

/// Mahimahi's model of a link (Netravali et al., ATC 2015): at every listed millisecond up to one full packet's bytes
/// may leave. An opportunity at which no packet waits is lost; bytes that a packet does not use are left for the next
/// packet.
#[derive(Debug, Clone, PartialEq)]
pub struct DeliveryTrace {
    /// Ascending milliseconds; the last is also the length of a pass.
    times: Vec<u64>,
    /// The opportunity that is used next, counted over all passes.
    next: u64,
    /// Bytes left of it.
    left: usize,
}

impl DeliveryTrace {
    /// Refuses times that are not a usable trace, with what is wrong.
    pub fn new(times: Vec<u64>) -> Result<Self, String> {
        if times.is_empty() {
            return Err("a trace must have at least one line, got none".into());
        }
        if let Some((before, next)) = times.iter().zip(&times[1..]).find(|(before, next)| before > next) {
            return Err(format!("milliseconds must not decrease, got {next} after {before}"));
        }
        if times.ends_with(&[0]) {
            return Err("a trace must last at least 1 ms, got 0".into());
        }
        Ok(Self { times, next: 0, left: FULL_PACKET_BYTES })
    }

    /// See [`super::Trace::send`]; calls come in the order of time.
    pub fn send(&mut self, begin: Duration, bytes: usize) -> Duration {
        let first = self.first_from(begin);
        if self.next < first {
            (self.next, self.left) = (first, FULL_PACKET_BYTES);
        }
        let mut waiting = bytes;
        while waiting > self.left {
            waiting -= self.left;
            (self.next, self.left) = (self.next + 1, FULL_PACKET_BYTES);
        }
        let end = self.time_of(self.next);
        self.left -= waiting;
        begin.max(end)
    }

    /// See [`super::Trace::capacity`].
    pub fn capacity(&self, until: Duration) -> f64 {
        (self.first_from(until) * FULL_PACKET_BYTES as u64) as f64
    }

    /// One pass as rates that hold for a second each; a last part of a second counts as a whole one.
    pub fn per_second(&self) -> Vec<RateStep> {
        let seconds = self.period_ms().div_ceil(1000);
        let mut packets = vec![0u32; seconds as usize];
        for time in &self.times {
            packets[(time / 1000).min(seconds - 1) as usize] += 1;
        }
        let rate = |count: u32| 8.0 * FULL_PACKET_BYTES as f64 * f64::from(count);
        packets.into_iter().map(|count| RateStep { seconds: 1.0, bits_per_second: rate(count) }).collect()
    }

    fn period_ms(&self) -> u64 {
        self.times[self.times.len() - 1]
    }

    fn time_of(&self, opportunity: u64) -> Duration {
        let per_pass = self.times.len() as u64;
        let within = self.times[(opportunity % per_pass) as usize];
        Duration::from_millis(opportunity / per_pass * self.period_ms() + within)
    }

    /// The first opportunity that does not lie before `time`.
    fn first_from(&self, time: Duration) -> u64 {
        let milliseconds = time.as_nanos().div_ceil(1_000_000) as u64;
        // The end of a pass is also the start of the next: its opportunities come before those at the next pass' 0.
        let passes = milliseconds.saturating_sub(1) / self.period_ms();
        let within = milliseconds - passes * self.period_ms();
        passes * self.times.len() as u64 + self.times.partition_point(|&listed| listed < within) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    fn trace(times: &[u64]) -> DeliveryTrace {
        DeliveryTrace::new(times.to_vec()).expect("a valid trace")
    }

    #[test]
    fn a_packet_leaves_at_the_next_opportunity() {
        let mut trace = trace(&[2, 5, 9]);
        assert_eq!(trace.send(ms(0), 1500), ms(2));
        assert_eq!(trace.send(ms(3), 1500), ms(5));
        assert_eq!(trace.send(ms(9), 1500), ms(9));
        assert_eq!(trace.send(ms(9), 1500), ms(11), "2 ms into the second pass");
    }

    #[test]
    fn a_small_packet_leaves_room_for_the_one_behind_it() {
        let mut trace = trace(&[2, 5, 9]);
        assert_eq!(trace.send(ms(0), 1000), ms(2));
        assert_eq!(trace.send(ms(2), 500), ms(2));
        assert_eq!(trace.send(ms(2), 2000), ms(9), "a larger one takes several");
        assert_eq!(trace.send(ms(9), 1000), ms(9));
    }

    #[test]
    fn an_opportunity_at_which_nothing_waits_is_lost() {
        let mut trace = trace(&[2, 5, 9]);
        assert_eq!(trace.send(ms(0), 100), ms(2));
        assert_eq!(trace.send(Duration::from_micros(2001), 100), ms(5));
    }

    #[test]
    fn opportunities_of_one_millisecond_are_several() {
        let mut trace = trace(&[0, 0, 3, 3, 4]);
        let ends: Vec<_> = (0..7).map(|_| trace.send(ms(0), 1500)).collect();
        assert_eq!(ends, [0, 0, 3, 3, 4, 4, 4].map(ms));
    }

    #[test]
    fn capacity_counts_opportunities() {
        let trace = trace(&[2, 5, 9]);
        assert!((trace.capacity(ms(9)) - 3000.0).abs() < 1e-9, "those before 9 ms");
        assert!((trace.capacity(ms(90)) - 29.0 * 1500.0).abs() < 1e-9);
    }

    #[test]
    fn seconds_sum_up_what_could_leave_in_them() {
        let rates: Vec<f64> =
            trace(&[0, 999, 1000, 2000]).per_second().iter().map(|step| step.bits_per_second).collect();
        assert_eq!(rates, [24_000.0, 24_000.0]);
    }

    #[test]
    fn times_that_make_no_link_are_refused() {
        for times in [vec![], vec![0], vec![5, 4]] {
            assert!(DeliveryTrace::new(times.clone()).is_err(), "{times:?}");
        }
    }
}
