//! What the system knows of this process, under the names that Prometheus' own libraries use.

use std::fmt::Write;
use std::fs;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

/// Ticks of the times in `/proc/PID/stat` in a second: the same on all of Linux' architectures that have Rust's
/// standard library.
const TICKS: f64 = 100.0;

static START: LazyLock<SystemTime> = LazyLock::new(SystemTime::now);

/// Remembers when the process began.
pub fn started() {
    LazyLock::force(&START);
}

/// Figures of the process in Prometheus' text format; what the system does not say is left out.
pub fn text() -> String {
    let mut text = String::new();
    let mut put = |name: &str, kind: &str, help: &str, value: Option<f64>| {
        if let Some(value) = value {
            let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n");
        }
    };
    put("process_cpu_seconds_total", "counter", "CPU time in seconds.", cpu_seconds());
    put("process_resident_memory_bytes", "gauge", "Memory in use.", resident_bytes());
    put("process_open_fds", "gauge", "File descriptors open now.", open_descriptors());
    put("process_max_fds", "gauge", "File descriptors that may be open.", most_descriptors());
    put("process_start_time_seconds", "gauge", "When the process began, in seconds since 1970.", start());
    text
}

fn start() -> Option<f64> {
    START.duration_since(SystemTime::UNIX_EPOCH).ok().as_ref().map(Duration::as_secs_f64)
}

fn cpu_seconds() -> Option<f64> {
    ticks_of(&fs::read_to_string("/proc/self/stat").ok()?).map(|ticks| ticks as f64 / TICKS)
}

/// User and system time; the program's name before them may hold anything.
fn ticks_of(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

fn resident_bytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<f64>().ok().map(|kibibytes| kibibytes * 1024.0)
}

/// Open descriptors, without the one that reads their folder.
fn open_descriptors() -> Option<f64> {
    fs::read_dir("/proc/self/fd").ok().map(|entries| (entries.count() - 1) as f64)
}

fn most_descriptors() -> Option<f64> {
    rlimit::Resource::NOFILE.get_soft().ok().map(|limit| limit as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_whatever_the_program_is_called() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 1 0 123 1 2 3";
        assert_eq!(ticks_of(stat), Some(300));
        assert_eq!(ticks_of("7 (a"), None);
    }

    #[test]
    fn this_process_has_all_of_them() {
        started();
        let text = text();
        for name in ["cpu_seconds_total", "resident_memory_bytes", "open_fds", "max_fds", "start_time_seconds"] {
            let value = text.lines().find_map(|line| line.strip_prefix(&format!("process_{name} ")));
            assert!(value.is_some_and(|value| value.parse::<f64>().unwrap() >= 0.0), "{name} in {text}");
        }
    }
}
