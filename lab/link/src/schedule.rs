use std::time::Duration;

/// Values that hold for a while each, one after the other, over and over like the traces that they come with.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule<T> {
    /// When each value's time is over.
    ends: Vec<Duration>,
    values: Vec<T>,
    /// The time in the schedule at which the link's time 0 is.
    start: Duration,
}

impl<T> Schedule<T> {
    pub fn constant(value: T) -> Self {
        Self { ends: vec![Duration::from_secs(1)], values: vec![value], start: Duration::ZERO }
    }

    /// `steps`: seconds, more than 0, and the value that holds for them. There is at least one.
    pub fn new(steps: impl IntoIterator<Item = (f64, T)>, start: Duration) -> Self {
        let mut end = 0.0;
        let (ends, values) = steps
            .into_iter()
            .map(|(seconds, value)| {
                end += seconds;
                (Duration::from_secs_f64(end), value)
            })
            .unzip();
        Self { ends, values, start }
    }

    pub fn at(&self, now: Duration) -> &T {
        let last = self.values.len() - 1;
        let period = self.ends[last].as_nanos();
        let rest = (now + self.start).as_nanos() % period;
        &self.values[self.ends.partition_point(|end| end.as_nanos() <= rest).min(last)]
    }

    pub fn map<Other>(&self, change: impl FnMut(&T) -> Other) -> Schedule<Other> {
        Schedule { ends: self.ends.clone(), values: self.values.iter().map(change).collect(), start: self.start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    #[test]
    fn values_follow_each_other_from_the_start_on_and_repeat() {
        let schedule = Schedule::new([(1.0, 'a'), (0.5, 'b'), (2.0, 'c')], ms(1200));
        let at = |milliseconds| *schedule.at(ms(milliseconds));
        assert_eq!([at(0), at(299), at(300), at(2299), at(2300), at(3300)], ['b', 'b', 'c', 'c', 'a', 'b']);
        assert_eq!(*Schedule::constant('x').at(ms(86_400_000)), 'x');
    }
}
