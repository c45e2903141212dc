//! Counters in Prometheus' text format (exposition format 0.0.4).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Mutex;

use voxel_protocol::error::Status;

pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Names and descriptions, the same as in the aioquic server.
const HELP: [(&str, &str); 10] = [
    ("voxel_requests_total", "Requests answered."),
    ("voxel_stream_bytes_total", "Body bytes sent reliably."),
    ("voxel_datagram_bytes_total", "Body bytes sent in datagrams."),
    ("voxel_parity_bytes_total", "Parity bytes sent in datagrams."),
    ("voxel_datagrams_total", "Datagrams sent."),
    ("voxel_flows_cut_total", "Flows that ended before all of their bytes were sent."),
    ("voxel_sessions_total", "WebTransport sessions opened."),
    ("voxel_sessions", "WebTransport sessions open now."),
    ("voxel_watched_files", "Growing files that are watched now."),
    ("voxel_quic_connections", "QUIC connections open now."),
];

/// Counts events by name and labels.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<BTreeMap<(&'static str, String), i64>>);

impl Metrics {
    pub fn add(&self, name: &'static str, amount: i64) {
        self.add_labelled(name, String::new(), amount);
    }

    pub fn add_request(&self, transport: &str, status: Status) {
        let labels = format!("{{status=\"{}\",transport=\"{transport}\"}}", status.code());
        self.add_labelled("voxel_requests_total", labels, 1);
    }

    fn add_labelled(&self, name: &'static str, labels: String, amount: i64) {
        let mut values = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *values.entry((name, labels)).or_default() += amount;
    }

    pub fn text(&self) -> String {
        let values = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut text = String::new();
        for (name, description) in HELP {
            let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
            let _ = write!(text, "# HELP {name} {description}\n# TYPE {name} {kind}\n");
            let mut samples = values.iter().filter(|((other, _), _)| *other == name).peekable();
            if samples.peek().is_none() {
                let _ = writeln!(text, "{name} 0");
            }
            for ((_, labels), value) in samples {
                let _ = writeln!(text, "{name}{labels} {value}");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_with_and_without_labels() {
        let metrics = Metrics::default();
        metrics.add_request("http1", Status::Ok);
        metrics.add("voxel_datagrams_total", 5);
        let text = metrics.text();
        assert!(text.contains("voxel_requests_total{status=\"200\",transport=\"http1\"} 1\n"));
        assert!(text.contains("# TYPE voxel_datagrams_total counter\nvoxel_datagrams_total 5\n"));
        assert!(text.contains("# TYPE voxel_sessions gauge\nvoxel_sessions 0\n"));
    }
}
