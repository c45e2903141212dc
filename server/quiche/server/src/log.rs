//! Structured logs on standard error: one event a line, as text or JSON.

use std::io::Write;
use std::sync::OnceLock;
use std::time::SystemTime;

use serde_json::{Map, Value};
use voxel_protocol::clock::iso_date;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

static FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// Sets the format. Call it once, before the first event.
pub fn configure(format: LogFormat) {
    FORMAT.get_or_init(|| format);
}

pub fn info(event: &str, fields: &[(&str, Value)]) {
    write("info", event, fields);
}

pub fn warning(event: &str, fields: &[(&str, Value)]) {
    write("warning", event, fields);
}

fn write(level: &str, event: &str, fields: &[(&str, Value)]) {
    let line = line(*FORMAT.get().unwrap_or(&LogFormat::Text), SystemTime::now(), level, event, fields);
    // If standard error is closed there is nowhere to report that.
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

fn line(format: LogFormat, time: SystemTime, level: &str, event: &str, fields: &[(&str, Value)]) -> String {
    let time = iso_date(time);
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn one_line_whatever_the_client_sent() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_709_251_199_123);
        let fields = [("target", Value::from("/a\n\x1b[31m")), ("status", Value::from(404))];
        assert_eq!(
            line(LogFormat::Text, time, "info", "request", &fields),
            "2024-02-29T23:59:59.123Z info request target=\"/a\\n\\u001b[31m\" status=404\n"
        );
        let json: Value = serde_json::from_str(&line(LogFormat::Json, time, "warning", "x", &fields)).unwrap();
        assert_eq!((json["level"].as_str(), json["target"].as_str()), (Some("warning"), Some("/a\n\x1b[31m")));
    }
}
