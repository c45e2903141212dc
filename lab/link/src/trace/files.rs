use super::{DeliveryTrace, RateStep, RateTrace, Trace};
use crate::{
    error::{Error, Result},
    text_file,
};
use std::path::Path;

const CSV_HEADER: &str = "second,mbps";

/// Reads a trace. The name tells the format: `.csv` has lines of `second,mbps` under a header; `.sum` lines of a second
/// and the bytes in it, as the authors of VOXEL publish their traces; anything else is Mahimahi's, a line of
/// milliseconds for every packet that the link could carry.
pub fn load(path: &Path) -> Result<Trace> {
    let text = text_file::read(path)?;
    let parsed = match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => parse_csv(&text).map(Trace::Rates),
        Some("sum") => parse_sum(&text).map(Trace::Rates),
        _ => parse_mahimahi(&text).map(Trace::Deliveries),
    };
    parsed.map_err(|problem| Error::Input(format!("{}: {problem}", path.display())))
}

fn parse_csv(text: &str) -> Result<RateTrace, String> {
    let header = text.lines().next().unwrap_or_default().replace(' ', "");
    if header != CSV_HEADER {
        return Err(format!(
            "line 1 must be the header {CSV_HEADER:?}, got {:?}",
            text.lines().next().unwrap_or_default()
        ));
    }
    parse_seconds(text, 1, |line| line.split(',').collect(), |mbps, _| mbps * 1e6)
}

fn parse_sum(text: &str) -> Result<RateTrace, String> {
    parse_seconds(text, 0, |line| line.split_whitespace().collect(), |bytes, seconds| 8.0 * bytes / seconds)
}

/// Lines of a second and a value, in equal steps. `rate` turns a value and the seconds of a step into bit/s.
fn parse_seconds(
    text: &str,
    header_lines: usize,
    split: impl Fn(&str) -> Vec<&str>,
    rate: impl Fn(f64, f64) -> f64,
) -> Result<RateTrace, String> {
    let rows = numbered_lines(text, header_lines)
        .map(|(number, line)| match split(line).as_slice() {
            [second, value] => {
                let parsed = parse_number(second).zip(parse_number(value));
                parsed.map(|(second, value)| (number, second, value)).ok_or_else(|| not_two_numbers(number, line))
            }
            _ => Err(not_two_numbers(number, line)),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let step = if let [(_, first, _), (_, second, _), ..] = rows[..] { second - first } else { 1.0 };
    let evenly = |pair: &[(usize, f64, f64)]| step > 0.0 && (pair[1].1 - pair[0].1 - step).abs() < 1e-6;
    if let Some(pair) = rows.windows(2).find(|pair| !evenly(pair)) {
        let [(_, before, _), (line, second, _)] = pair else { unreachable!("windows of two") };
        return Err(format!("line {line}: seconds must increase by equal steps, got {second} after {before}"));
    }
    RateTrace::new(
        rows.iter().map(|(_, _, value)| RateStep { seconds: step, bits_per_second: rate(*value, step) }).collect(),
    )
}

fn parse_mahimahi(text: &str) -> Result<DeliveryTrace, String> {
    let times = numbered_lines(text, 0)
        .map(|(number, line)| {
            line.parse().map_err(|_| format!("line {number} must be a whole number of milliseconds, got {line:?}"))
        })
        .collect::<Result<Vec<u32>, _>>()?;
    DeliveryTrace::new(times.into_iter().map(u64::from).collect())
}

/// The lines that are not empty, with their numbers, after a header.
fn numbered_lines(text: &str, header_lines: usize) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().skip(header_lines);
    numbered.map(|(index, line)| (index + 1, line.trim())).filter(|(_, line)| !line.is_empty())
}

fn parse_number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

fn not_two_numbers(number: usize, line: &str) -> String {
    format!("line {number} must be two numbers, got {line:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(trace: &Result<RateTrace, String>) -> Vec<f64> {
        trace.as_ref().expect("a valid trace").steps().iter().map(|step| step.bits_per_second).collect()
    }

    #[test]
    fn csv_files_hold_mbits_per_second() {
        assert_eq!(rates(&parse_csv("second,mbps\n0,1.5\n1,0\n\n2, 3\n")), [1.5e6, 0.0, 3e6]);
    }

    #[test]
    fn sum_files_hold_bytes_per_second() {
        assert_eq!(rates(&parse_sum("1 125000\n2\t250000\n")), [1e6, 2e6]);
    }

    #[test]
    fn seconds_may_be_longer_or_shorter() {
        let trace = parse_sum("0.0 125000\n0.5 250000\n").expect("a valid trace");
        assert_eq!(trace.steps()[0], RateStep { seconds: 0.5, bits_per_second: 2e6 });
    }

    #[test]
    fn mistakes_name_their_line() {
        let csv_mistakes = [
            ("0,1\n", "line 1 must be the header \"second,mbps\", got \"0,1\""),
            ("second,mbps\n0,1\n1,x\n", "line 3 must be two numbers, got \"1,x\""),
            ("second,mbps\n0,1\n1,inf\n", "line 3 must be two numbers, got \"1,inf\""),
            ("second,mbps\n0,1,2\n", "line 2 must be two numbers, got \"0,1,2\""),
            ("second,mbps\n0,1\n1,1\n3,1\n", "line 4: seconds must increase by equal steps, got 3 after 1"),
            ("second,mbps\n0,1\n0,1\n", "line 3: seconds must increase by equal steps, got 0 after 0"),
            ("second,mbps\n0,-1\n", "rate must be between 0 and 1000000 Mbit/s, got -1"),
            ("second,mbps\n", "a trace must have at least one step, got none"),
        ];
        for (text, message) in csv_mistakes {
            assert_eq!(parse_csv(text).expect_err(text), message);
        }
        assert_eq!(
            parse_mahimahi("1\n-2\n").expect_err("negative"),
            "line 2 must be a whole number of milliseconds, got \"-2\""
        );
        assert_eq!(parse_mahimahi("").expect_err("empty"), "a trace must have at least one line, got none");
    }
}
