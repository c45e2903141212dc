//! Counts what players say of themselves with their requests (CMCD).

use std::sync::{Arc, Mutex, PoisonError};

use voxel_protocol::cmcd::{Recent, Report, text_of};
use voxel_protocol::head::Headers;

use crate::metrics::Metrics;

/// Takes reports into the counters, each once.
#[derive(Debug)]
pub struct Viewers {
    metrics: Arc<Metrics>,
    recent: Mutex<Recent>,
}

impl Viewers {
    pub fn new(metrics: Arc<Metrics>) -> Self {
        Self { metrics, recent: Mutex::default() }
    }

    /// Counts what a request for a file says.
    pub fn count(&self, target: &str, headers: &Headers) {
        let Some(text) = text_of(target, headers) else { return };
        let Some(report) = Report::parse(&text) else { return };
        if report.names_session && !self.recent.lock().unwrap_or_else(PoisonError::into_inner).take(&text) {
            return;
        }
        self.metrics.add("voxel_cmcd_reports_total", 1);
        if report.has_stalled {
            self.metrics.add("voxel_cmcd_stalls_total", 1);
        }
        for (name, value) in [
            ("voxel_cmcd_startup_seconds", report.startup),
            ("voxel_cmcd_stall_seconds", report.stall),
            ("voxel_cmcd_bitrate_bits_per_second", report.bitrate),
            ("voxel_cmcd_score", report.score),
        ] {
            if let Some(value) = value {
                self.metrics.observe(name, value);
            }
        }
    }
}
