//! What a response says of the path: the field `cmsd-dynamic` (CTA-5006 section 2.2).

use std::time::Duration;

/// The server's name in the field.
const SERVER: &str = "voxel";

/// What the congestion control of a connection knows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Bytes per second; `None` before the first sample.
    pub delivery_rate: Option<f64>,
    /// `None` before the first sample.
    pub smoothed_rtt: Option<Duration>,
}

impl Figures {
    /// The field's value; `None`: there is nothing to say.
    pub fn cmsd_dynamic(&self) -> Option<String> {
        // kbit/s. A rate that rounds to none says nothing.
        let etp = self.delivery_rate.map(|rate| (rate * 8.0 / 1000.0).round() as u64).filter(|etp| *etp > 0);
        let parts = [("etp", etp), ("rtt", self.smoothed_rtt.map(milliseconds))];
        let parts: String = parts.iter().filter_map(|(name, value)| Some(format!(";{name}={}", (*value)?))).collect();
        (!parts.is_empty()).then(|| format!("\"{SERVER}\"{parts}"))
    }
}

/// Whole milliseconds.
pub fn milliseconds(time: Duration) -> u64 {
    (time.as_secs_f64() * 1e3).round() as u64
}
