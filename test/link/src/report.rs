use crate::log::Summary;

/// Says on standard error whether the link was on time.
pub fn lateness(summary: &Summary) {
    let late_ms = summary.late_us_max as f64 / 1e3;
    let verdict = if summary.valid { "" } else { ": more than 10 ms, so what was measured does not count" };
    eprintln!("linkemu: packets left at most {late_ms:.1} ms late{verdict}");
}
