//! How much a link carries over time, and what else changes with it. Every trace repeats when it ends.

mod conditions;
mod deliveries;
mod files;
mod rates;

pub use conditions::{ConditionStep, within_a_minute};
pub use deliveries::DeliveryTrace;
pub use files::load;
pub use rates::{OFFSET_FLOOR_BITS_PER_SECOND, RateStep, RateTrace, mean_rate, offset_to_mean};

use std::time::Duration;

/// A link's capacity as it was recorded or made up.
#[derive(Debug, Clone, PartialEq)]
pub enum Trace {
    /// Bit/s that hold for a while: `second,mbps` files, `.sum` files, constants, steps.
    Rates(RateTrace),
    /// Single opportunities to send a packet: Mahimahi's files.
    Deliveries(DeliveryTrace),
}

/// A trace, and delay and loss where these were recorded with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    pub trace: Trace,
    /// Empty: they do not change.
    pub conditions: Vec<ConditionStep>,
}

impl Recording {
    pub fn of(trace: Trace) -> Self {
        Self { trace, conditions: Vec::new() }
    }
}

impl Trace {
    /// When `bytes` that begin to be sent at `begin` are sent.
    pub fn send(&mut self, begin: Duration, bytes: usize) -> Duration {
        match self {
            Self::Rates(trace) => trace.send(begin, bytes),
            Self::Deliveries(trace) => trace.send(begin, bytes),
        }
    }

    /// Bytes that the link can carry from 0 to `until`.
    pub fn capacity(&self, until: Duration) -> f64 {
        match self {
            Self::Rates(trace) => trace.capacity(until),
            Self::Deliveries(trace) => trace.capacity(until),
        }
    }

    /// Mean rate in bit/s over one pass.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Rates(trace) => trace.mean(),
            Self::Deliveries(trace) => mean_rate(&trace.per_second()),
        }
    }

    /// The same variation around another mean (see [`offset_to_mean`]); deliveries are summed up per second first.
    pub fn with_mean(self, bits_per_second: f64) -> Result<Self, String> {
        let steps = match self {
            Self::Rates(trace) => trace.steps().to_vec(),
            Self::Deliveries(trace) => trace.per_second(),
        };
        RateTrace::new(offset_to_mean(steps, bits_per_second)).map(Self::Rates)
    }
}
