//! The fields of a link file as they are written.

use serde::Deserialize;
use std::path::PathBuf;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct LinkFile {
    #[serde(default)]
    pub seed: u64,
    pub paths: Vec<PathFields>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PathFields {
    pub name: Option<String>,
    pub down: DirectionFields,
    pub up: DirectionFields,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct DirectionFields {
    pub trace: TraceFields,
    pub queue: QueueFields,
    pub delay_ms: f64,
    pub loss: Option<LossFields>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct LossFields {
    pub percent: f64,
    pub mean_burst: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TraceFields {
    pub file: Option<PathBuf>,
    pub mbps: Option<f64>,
    pub steps: Option<Vec<StepFields>>,
    #[serde(default)]
    pub start_seconds: f64,
    pub mean_mbps: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct StepFields {
    pub seconds: f64,
    pub mbps: f64,
    pub delay_ms: Option<f64>,
    pub loss_percent: Option<f64>,
    pub mean_burst: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", rename_all_fields = "camelCase", tag = "discipline")]
pub enum QueueFields {
    DropTail { limit: LimitFields },
    Codel { limit: LimitFields, target_ms: Option<f64>, interval_ms: Option<f64> },
    FqCodel { limit: LimitFields, target_ms: Option<f64>, interval_ms: Option<f64> },
    Pie { limit: LimitFields, target_ms: Option<f64> },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LimitFields {
    Packets(usize),
    Bytes(usize),
    /// Multiples of the bandwidth-delay product.
    Bdp(f64),
}
