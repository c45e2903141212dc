use std::time::Duration;

/// A rate that holds for a while.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateStep {
    pub seconds: f64,
    pub bits_per_second: f64,
}

/// The lowest rate that an offset leaves: one full packet per second, as in the VOXEL paper's own traces.
pub const OFFSET_FLOOR_BITS_PER_SECOND: f64 = 12_000.0;

/// Anything above is probably a mistake in the unit.
const MAX_BITS_PER_SECOND: f64 = 1e12;

/// Anything below carries nothing within a session.
const MIN_MEAN_BITS_PER_SECOND: f64 = 1.0;

/// A day.
const MAX_STEP_SECONDS: f64 = 86_400.0;

/// A looped list of rates, kept as running totals so that any question costs one binary search.
#[derive(Debug, Clone, PartialEq)]
pub struct RateTrace {
    steps: Vec<RateStep>,
    /// Seconds at which each step starts, and the end of the last.
    starts: Vec<f64>,
    /// Bits carried up to each of `starts`.
    totals: Vec<f64>,
}

impl RateTrace {
    /// Refuses steps that are not a usable trace, with what is wrong.
    pub fn new(steps: Vec<RateStep>) -> Result<Self, String> {
        if steps.is_empty() {
            return Err("a trace must have at least one step, got none".into());
        }
        for RateStep { seconds, bits_per_second } in &steps {
            if !(*seconds > 0.0 && *seconds <= MAX_STEP_SECONDS) {
                return Err(format!("a step must last more than 0 and at most {MAX_STEP_SECONDS} s, got {seconds}"));
            }
            if !(0.0..=MAX_BITS_PER_SECOND).contains(bits_per_second) {
                let (most, found) = (MAX_BITS_PER_SECOND / 1e6, bits_per_second / 1e6);
                return Err(format!("rate must be between 0 and {most} Mbit/s, got {found}"));
            }
        }
        let mean = mean_rate(&steps);
        if mean < MIN_MEAN_BITS_PER_SECOND {
            return Err(format!("mean rate must be at least {MIN_MEAN_BITS_PER_SECOND} bit/s, got {mean}"));
        }
        let starts = running_totals(steps.iter().map(|step| step.seconds));
        let totals = running_totals(steps.iter().map(|step| step.seconds * step.bits_per_second));
        Ok(Self { steps, starts, totals })
    }

    pub fn constant(bits_per_second: f64) -> Result<Self, String> {
        Self::new(vec![RateStep { seconds: 1.0, bits_per_second }])
    }

    pub fn steps(&self) -> &[RateStep] {
        &self.steps
    }

    /// Mean rate in bit/s.
    pub fn mean(&self) -> f64 {
        self.bits_per_pass() / self.period()
    }

    /// See [`super::Trace::capacity`].
    pub fn capacity(&self, until: Duration) -> f64 {
        self.bits_until(until.as_secs_f64()) / 8.0
    }

    /// See [`super::Trace::send`].
    pub fn send(&self, begin: Duration, bytes: usize) -> Duration {
        let carried = self.bits_until(begin.as_secs_f64());
        let end = self.time_of(carried + 8.0 * bytes as f64);
        begin.max(Duration::from_secs_f64(end))
    }

    fn period(&self) -> f64 {
        self.starts[self.steps.len()]
    }

    fn bits_per_pass(&self) -> f64 {
        self.totals[self.steps.len()]
    }

    fn bits_until(&self, seconds: f64) -> f64 {
        let passes = (seconds / self.period()).floor();
        let rest = seconds - passes * self.period();
        let step = last_at_most(&self.starts[..self.steps.len()], rest);
        let within = (rest - self.starts[step]) * self.steps[step].bits_per_second;
        passes * self.bits_per_pass() + self.totals[step] + within
    }

    /// The first moment, in seconds, by which `bits` are carried; `bits` is positive.
    fn time_of(&self, bits: f64) -> f64 {
        let passes = (bits / self.bits_per_pass()).ceil() - 1.0;
        let rest = bits - passes * self.bits_per_pass();
        let step = self.totals[1..].partition_point(|&total| total < rest).min(self.steps.len() - 1);
        let within = (rest - self.totals[step]) / self.steps[step].bits_per_second;
        passes * self.period() + self.starts[step] + within
    }
}

/// Time-weighted mean of the rates in bit/s.
pub fn mean_rate(steps: &[RateStep]) -> f64 {
    let bits: f64 = steps.iter().map(|step| step.seconds * step.bits_per_second).sum();
    bits / steps.iter().map(|step| step.seconds).sum::<f64>()
}

/// Adds one constant to every rate so that the mean becomes `mean` bit/s (thesis §6.4.5), but goes below
/// [`OFFSET_FLOOR_BITS_PER_SECOND`] nowhere; so the mean can end slightly above.
pub fn offset_to_mean(mut steps: Vec<RateStep>, mean: f64) -> Vec<RateStep> {
    let offset = mean - mean_rate(&steps);
    for step in &mut steps {
        step.bits_per_second = (step.bits_per_second + offset).max(OFFSET_FLOOR_BITS_PER_SECOND);
    }
    steps
}

/// 0 and the sum of the first one, two, … values.
fn running_totals(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut total = 0.0;
    let sums = values.map(|value| {
        total += value;
        total
    });
    std::iter::once(0.0).chain(sums).collect()
}

/// Index of the last value that is not above `limit`; `values` ascend from 0.
fn last_at_most(values: &[f64], limit: f64) -> usize {
    values.partition_point(|&value| value <= limit).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    fn trace(steps: &[(f64, f64)]) -> RateTrace {
        let steps = steps.iter().map(|&(seconds, mbps)| RateStep { seconds, bits_per_second: mbps * 1e6 });
        RateTrace::new(steps.collect()).expect("a valid trace")
    }

    #[test]
    fn a_packet_takes_its_size_over_the_rate() {
        // 1500 bytes at 12 Mbit/s: 1 ms.
        assert_eq!(trace(&[(1.0, 12.0)]).send(ms(700), 1500), ms(701));
    }

    #[test]
    fn a_packet_is_sent_across_steps_and_passes() {
        let trace = trace(&[(1.0, 12.0), (1.0, 1.2)]);
        assert_eq!(trace.send(Duration::from_micros(999_500), 1500), ms(1005));
        assert_eq!(trace.send(ms(1995), 1500), Duration::from_micros(2_000_500));
    }

    #[test]
    fn an_outage_holds_a_packet_back_to_its_end() {
        let trace = trace(&[(1.0, 12.0), (9.0, 0.0)]);
        assert_eq!(trace.send(ms(999), 1500), ms(1000), "what ends with the step waits for nothing");
        assert_eq!(trace.send(ms(4000), 1500), ms(10_001));
        assert_eq!(trace.send(ms(1000), 1500), ms(10_001));
    }

    #[test]
    fn back_to_back_packets_carry_exactly_the_capacity() {
        let trace = trace(&[(1.0, 3.3), (0.5, 0.0), (2.0, 41.7), (0.25, 0.1)]);
        let (mut now, mut bytes) = (Duration::ZERO, 0.0);
        while now < Duration::from_secs(60) {
            now = trace.send(now, 1333);
            bytes += 1333.0;
        }
        let share = bytes / trace.capacity(now);
        assert!((share - 1.0).abs() < 1e-5, "sent {share} of the capacity; times are rounded to 1 ns");
    }

    #[test]
    fn capacity_counts_whole_passes_and_parts() {
        let trace = trace(&[(1.0, 8.0), (1.0, 16.0)]);
        assert!((trace.capacity(ms(5500)) - (2.0 * 3e6 + 1e6 + 1e6)).abs() < 1e-3);
        assert!((trace.mean() - 12e6).abs() < 1e-3);
    }

    #[test]
    fn an_offset_moves_the_mean_and_stops_at_the_floor() {
        let rates = |mbps: &[f64]| -> Vec<RateStep> {
            mbps.iter().map(|rate| RateStep { seconds: 1.0, bits_per_second: rate * 1e6 }).collect()
        };
        assert_eq!(offset_to_mean(rates(&[1.0, 3.0]), 10e6), rates(&[9.0, 11.0]));
        assert_eq!(offset_to_mean(rates(&[1.0, 9.0]), 3e6), rates(&[0.012, 7.0]));
    }

    #[test]
    fn a_link_that_carries_nothing_is_refused() {
        let step = |seconds, bits_per_second| RateStep { seconds, bits_per_second };
        for steps in [
            vec![],
            vec![step(1.0, 0.0)],
            vec![step(1.0, -1.0)],
            vec![step(0.0, 1e6)],
            vec![step(1.0, 1e13)],
            vec![step(1.0, 1e-30)],
            vec![step(1e300, 1e6)],
        ] {
            assert!(RateTrace::new(steps.clone()).is_err(), "{steps:?}");
        }
        assert!(RateTrace::constant(f64::NAN).is_err());
    }
}
