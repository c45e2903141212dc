//! What the program says to people, on standard error.

use crate::log::Summary;
use std::io::{self, Write};

/// Says one line. That nobody listens any more is no reason to stop.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "linkemu: {line}");
}

/// Says whether the link was on time.
pub fn lateness(summary: &Summary) {
    let late_ms = summary.late_us_max as f64 / 1e3;
    let verdict = if summary.valid { "" } else { ": more than 10 ms, so what was measured does not count" };
    say(&format!("packets left at most {late_ms:.1} ms late{verdict}"));
}
