use crate::loss::Chain;
use std::time::Duration;

/// A minute each way is more than any link needs; more is probably a mistake in the unit.
const MAX_MILLISECONDS: f64 = 60_000.0;

/// How long packets travel in a direction, and how it loses them, for a while.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConditionStep {
    pub seconds: f64,
    /// Besides the direction's own.
    pub delay: Duration,
    pub loss: Chain,
}

impl ConditionStep {
    /// The error says which number cannot be.
    pub fn new(seconds: f64, delay_ms: f64, loss_percent: f64, mean_burst: Option<f64>) -> Result<Self, String> {
        let loss = Chain::new(loss_percent, mean_burst).map_err(|problem| format!("loss: {problem}"))?;
        Ok(Self { seconds, delay: within_a_minute("delayMs", delay_ms)?, loss })
    }
}

/// Milliseconds, none or more, as a duration.
pub fn within_a_minute(name: &str, milliseconds: f64) -> Result<Duration, String> {
    if (0.0..=MAX_MILLISECONDS).contains(&milliseconds) {
        return Ok(Duration::from_secs_f64(milliseconds / 1e3));
    }
    Err(format!("{name} must be between 0 and {MAX_MILLISECONDS}, got {milliseconds}"))
}
