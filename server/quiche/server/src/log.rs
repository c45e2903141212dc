//! Structured logs on standard error: one event a line, as text or JSON.

use std::io::Write;
use std::sync::OnceLock;
use std::time::SystemTime;

use serde_json::{Map, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug)]
pub enum Level {
    Info,
    Warning,
}

static FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// Sets the format. Call it once, before the first event.
pub fn configure(format: LogFormat) {
    FORMAT.get_or_init(|| format);
}

pub fn info(event: &str, fields: &[(&str, Value)]) {
    write(Level::Info, event, fields);
}

pub fn warning(event: &str, fields: &[(&str, Value)]) {
    write(Level::Warning, event, fields);
}

fn write(level: Level, event: &str, fields: &[(&str, Value)]) {
    let line = line(*FORMAT.get().unwrap_or(&LogFormat::Text), SystemTime::now(), level, event, fields);
    // If standard error is closed there is nowhere to report that.
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

fn line(format: LogFormat, time: SystemTime, level: Level, event: &str, fields: &[(&str, Value)]) -> String {
    let time = timestamp(time);
    let level = match level {
        Level::Info => "info",
        Level::Warning => "warning",
    };
    match format {
        LogFormat::Text => {
            // Values as JSON: what a client sent may contain line breaks and terminal controls.
            let fields: String = fields.iter().map(|(name, value)| format!(" {name}={value}")).collect();
            format!("{time} {level} {event}{fields}\n")
        }
        LogFormat::Json => {
            let start = [("time", time.as_str()), ("level", level), ("event", event)];
            let start = start.into_iter().map(|(name, text)| (name, Value::from(text)));
            let fields = fields.iter().map(|(name, value)| (*name, value.clone()));
            let line: Map<_, _> = start.chain(fields).map(|(name, value)| (name.to_owned(), value)).collect();
            format!("{}\n", Value::Object(line))
        }
    }
}

/// The time as RFC 3339 has it, with milliseconds, in UTC.
fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let (seconds, milliseconds) = (since.as_secs(), since.subsec_millis());
    let (year, month, day) = civil_date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

/// Year, month and day in the Gregorian calendar of a number of days after 1970-01-01.
fn civil_date(days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let (mut year, mut left) = (1970, days);
    while left >= 365 + u64::from(leap(year)) {
        left -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    (year, month, left + 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn one_line_whatever_the_client_sent() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_709_251_199_123);
        let fields = [("target", Value::from("/a\n\x1b[31m")), ("status", Value::from(404))];
        assert_eq!(
            line(LogFormat::Text, time, Level::Info, "request", &fields),
            "2024-02-29T23:59:59.123Z info request target=\"/a\\n\\u001b[31m\" status=404\n"
        );
        let json: Value = serde_json::from_str(&line(LogFormat::Json, time, Level::Warning, "x", &fields)).unwrap();
        assert_eq!((json["level"].as_str(), json["target"].as_str()), (Some("warning"), Some("/a\n\x1b[31m")));
    }
}
