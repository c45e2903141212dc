//! Counters in Prometheus' text format (exposition format 0.0.4).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use voxel_protocol::error::Status;

pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Upper bounds of each histogram's buckets. Scores of SSIM are up to 1, of the other metrics up to 100.
const BUCKETS: [(&str, &[f64]); 4] = [
    ("voxel_cmcd_startup_seconds", &[0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0]),
    ("voxel_cmcd_stall_seconds", &[0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0]),
    ("voxel_cmcd_bitrate_bits_per_second", &[25e4, 5e5, 1e6, 2e6, 4e6, 8e6, 16e6, 32e6]),
    ("voxel_cmcd_score", &[0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 1.0, 20.0, 40.0, 60.0, 80.0, 90.0, 95.0, 100.0]),
];

/// Names and descriptions, the same as in the aioquic server.
const HELP: [(&str, &str); 19] = [
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
    ("voxel_workers", "Threads that serve QUIC."),
    ("voxel_stray_packets_total", "Packets after a change of the client's address that came to another worker."),
    ("voxel_certificate_end_seconds", "When the certificate ends, in seconds since 1970."),
    ("voxel_cmcd_reports_total", "Requests with CMCD, repeated reports left out."),
    ("voxel_cmcd_stalls_total", "Reports that a buffer has been empty."),
    ("voxel_cmcd_startup_seconds", "Start-up of playbacks, as players report it."),
    ("voxel_cmcd_stall_seconds", "Waits for data, as players report them."),
    ("voxel_cmcd_bitrate_bits_per_second", "Bitrates of video, as players report them."),
    ("voxel_cmcd_score", "Scores of segments of video, as players report them."),
];

/// Names and descriptions of an edge's, which no other server has.
const EDGE_HELP: [(&str, &str); 7] = [
    ("voxel_cache_hits_total", "Blocks of the origin's files that responses have read from the cache."),
    ("voxel_cache_misses_total", "Blocks that had to be fetched for responses."),
    ("voxel_cache_bytes", "Bytes of the cache now."),
    ("voxel_origin_requests_total", "Requests to the origin by the status of its answer."),
    ("voxel_origin_bytes_total", "Body bytes that came from the origin."),
    ("voxel_origin_revalidations_total", "Requests to the origin whether a file is still the same."),
    ("voxel_origin_errors_total", "Times that the origin did not give what was asked for."),
];

const MAX_BUCKETS: usize = 15;

/// Values by name and labels.
type Values = BTreeMap<(&'static str, String), i64>;

/// Values by size.
#[derive(Debug, Default)]
struct Histogram {
    /// How many values are below each bound of the buckets.
    below: [u64; MAX_BUCKETS],
    count: u64,
    sum: f64,
}

/// Counts events by name and labels, and values by size.
#[derive(Debug, Default)]
pub struct Metrics {
    values: Mutex<Values>,
    histograms: Mutex<[Histogram; BUCKETS.len()]>,
    is_edge: bool,
}

impl Metrics {
    pub fn new(is_edge: bool) -> Self {
        Self { is_edge, ..Self::default() }
    }

    pub fn add(&self, name: &'static str, amount: i64) {
        self.add_labelled(name, String::new(), amount);
    }

    /// Takes a value into a histogram of `BUCKETS`.
    pub fn observe(&self, name: &'static str, value: f64) {
        let mut histograms = self.histograms.lock().unwrap_or_else(PoisonError::into_inner);
        for (histogram, (_, bounds)) in histograms.iter_mut().zip(BUCKETS).filter(|(_, (other, _))| *other == name) {
            for (below, _) in histogram.below.iter_mut().zip(bounds).filter(|(_, bound)| value <= **bound) {
                *below += 1;
            }
            histogram.count += 1;
            histogram.sum += value;
        }
    }

    /// Sets a gauge that is known as a whole.
    pub fn set(&self, name: &'static str, value: i64) {
        self.values().insert((name, String::new()), value);
    }

    /// Counts one more of what a gauge counts, until the result is dropped.
    pub fn count(self: &Arc<Self>, name: &'static str) -> Counted {
        self.add(name, 1);
        Counted { metrics: Arc::clone(self), name }
    }

    pub fn add_request(&self, transport: &str, status: Status) {
        let labels = format!("{{status=\"{}\",transport=\"{transport}\"}}", status.code());
        self.add_labelled("voxel_requests_total", labels, 1);
    }

    /// Counts a request to the origin. `status`: that of its answer, or why there is none.
    pub fn add_origin_request(&self, status: &str) {
        self.add_labelled("voxel_origin_requests_total", format!("{{status=\"{status}\"}}"), 1);
    }

    fn add_labelled(&self, name: &'static str, labels: String, amount: i64) {
        *self.values().entry((name, labels)).or_default() += amount;
    }

    fn values(&self) -> MutexGuard<'_, Values> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn text(&self) -> String {
        let values = self.values();
        let mut text = String::new();
        let of_edge = EDGE_HELP.iter().filter(|_| self.is_edge);
        for (name, description) in HELP.iter().chain(of_edge) {
            let buckets = BUCKETS.iter().position(|(other, _)| other == name);
            let kind = match buckets {
                Some(_) => "histogram",
                None if name.ends_with("_total") => "counter",
                None => "gauge",
            };
            let _ = write!(text, "# HELP {name} {description}\n# TYPE {name} {kind}\n");
            if let Some(place) = buckets {
                let histograms = self.histograms.lock().unwrap_or_else(PoisonError::into_inner);
                text.push_str(&histograms[place].text(BUCKETS[place]));
                continue;
            }
            let mut samples = values.iter().filter(|((other, _), _)| other == name).peekable();
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

impl Histogram {
    fn text(&self, (name, bounds): (&str, &[f64])) -> String {
        let Self { below, count, sum } = self;
        let mut text = String::new();
        for (bound, below) in bounds.iter().zip(below) {
            let _ = writeln!(text, "{name}_bucket{{le=\"{bound}\"}} {below}");
        }
        let _ = write!(text, "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {sum}\n{name}_count {count}\n");
        text
    }
}

/// One of what a gauge counts.
#[derive(Debug)]
pub struct Counted {
    metrics: Arc<Metrics>,
    name: &'static str,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.metrics.add(self.name, -1);
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
        assert!(!text.contains("voxel_cache"));
        assert!(BUCKETS.iter().all(|(_, bounds)| bounds.len() <= MAX_BUCKETS));
        assert!(Metrics::new(true).text().contains("# TYPE voxel_cache_bytes gauge\nvoxel_cache_bytes 0\n"));
    }
}
