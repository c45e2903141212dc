//! Messages on standard error.

use crate::log::Summary;
use std::io::{self, Write};

/// Writes one line. Ignores a closed standard error.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "linkemu: {line}");
}

/// Reports how late packets left.
pub fn lateness(summary: &Summary) {
    let late_ms = summary.late_us_max as f64 / 1e3;
    let verdict = if summary.valid { "" } else { "; measurements are invalid above 10 ms" };
    say(&format!("packets left up to {late_ms:.1} ms late{verdict}"));
}
