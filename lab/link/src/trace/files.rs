use super::{ConditionStep, DeliveryTrace, RateStep, RateTrace, Recording, Trace};
use crate::{
    error::{Error, Result},
    text_file,
};
use std::path::Path;

/// The columns that a `.csv` file has, each line under its header.
const CSV_COLUMNS: [&[&str]; 3] = [
    &["second", "mbps"],
    &["second", "mbps", "delay_ms", "loss_percent"],
    &["second", "mbps", "delay_ms", "loss_percent", "mean_burst"],
];

/// Reads a recording. The name tells the format: `.csv` has lines of `second,mbps` under a header, or of
/// `second,mbps,delay_ms,loss_percent` with or without `mean_burst`; `.sum` lines of a second and the bytes in it, as the
/// authors of VOXEL publish their traces; anything else is Mahimahi's, a line of milliseconds for every packet that the
/// link could carry.
pub fn load(path: &Path) -> Result<Recording> {
    let text = text_file::read(path)?;
    let parsed = match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => parse_csv(&text),
        Some("sum") => parse_sum(&text).map(|trace| Recording::of(Trace::Rates(trace))),
        _ => parse_mahimahi(&text).map(|trace| Recording::of(Trace::Deliveries(trace))),
    };
    parsed.map_err(|problem| Error::Input(format!("{}: {problem}", path.display())))
}

fn parse_csv(text: &str) -> Result<Recording, String> {
    let header = text.lines().next().unwrap_or_default();
    let names: Vec<_> = header.split(',').map(str::trim).collect();
    if !CSV_COLUMNS.contains(&names.as_slice()) {
        return Err(format!(
            "line 1 must be the header \"second,mbps[,delay_ms,loss_percent[,mean_burst]]\", got {header:?}"
        ));
    }
    let (step, rows) = parse_rows(text, 1, names.len(), |line| line.split(',').collect())?;
    let rates = rows.iter().map(|row| RateStep { seconds: step, bits_per_second: row.values[1] * 1e6 });
    let conditions = rows.iter().filter(|row| row.values.len() > 2).map(|row| {
        ConditionStep::new(step, row.values[2], row.values[3], row.values.get(4).copied())
            .map_err(|problem| format!("line {}: {problem}", row.line))
    });
    Ok(Recording {
        trace: Trace::Rates(RateTrace::new(rates.collect())?),
        conditions: conditions.collect::<Result<_, _>>()?,
    })
}

fn parse_sum(text: &str) -> Result<RateTrace, String> {
    let (step, rows) = parse_rows(text, 0, 2, |line| line.split_whitespace().collect())?;
    RateTrace::new(
        rows.iter().map(|row| RateStep { seconds: step, bits_per_second: 8.0 * row.values[1] / step }).collect(),
    )
}

struct Row {
    /// Counted from 1.
    line: usize,
    /// The second, and what is measured of it.
    values: Vec<f64>,
}

/// Lines of so many numbers, the first of which is a second; with the seconds of a step, in which all of these lie.
fn parse_rows(
    text: &str,
    header_lines: usize,
    columns: usize,
    split: impl Fn(&str) -> Vec<&str>,
) -> Result<(f64, Vec<Row>), String> {
    let rows = numbered_lines(text, header_lines)
        .map(|(number, line)| {
            let values = split(line).into_iter().map(parse_number).collect::<Option<Vec<_>>>();
            let values = values.filter(|values| values.len() == columns);
            values
                .map(|values| Row { line: number, values })
                .ok_or_else(|| format!("line {number} must be {columns} numbers, got {line:?}"))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let step = if let [first, second, ..] = &rows[..] { second.values[0] - first.values[0] } else { 1.0 };
    let evenly = |pair: &[Row]| step > 0.0 && (pair[1].values[0] - pair[0].values[0] - step).abs() < 1e-6;
    if let Some([before, row]) = rows.windows(2).find(|pair| !evenly(pair)) {
        let (line, second, before) = (row.line, row.values[0], before.values[0]);
        return Err(format!("line {line}: seconds must increase by equal steps, got {second} after {before}"));
    }
    Ok((step, rows))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(trace: &RateTrace) -> Vec<f64> {
        trace.steps().iter().map(|step| step.bits_per_second).collect()
    }

    fn recording(text: &str) -> (Vec<f64>, Vec<ConditionStep>) {
        match parse_csv(text).expect("a valid recording") {
            Recording { trace: Trace::Rates(trace), conditions } => (rates(&trace), conditions),
            other => panic!("no rates: {other:?}"),
        }
    }

    #[test]
    fn csv_files_hold_mbits_per_second() {
        assert_eq!(recording("second,mbps\n0,1.5\n1,0\n\n2, 3\n"), (vec![1.5e6, 0.0, 3e6], vec![]));
    }

    #[test]
    fn csv_files_may_hold_delay_and_losses_too() {
        let step = |delay, percent, burst| ConditionStep::new(1.0, delay, percent, burst).expect("possible");
        let header = "second, mbps, delay_ms, loss_percent";
        let (rates, conditions) = recording(&format!("{header}\n0,1,13.5,0\n1,2,40,55\n"));
        assert_eq!((rates, conditions), (vec![1e6, 2e6], vec![step(13.5, 0.0, None), step(40.0, 55.0, None)]));
        let (_, conditions) = recording(&format!("{header},mean_burst\n0,1,13.5,10,4\n"));
        assert_eq!(conditions, [step(13.5, 10.0, Some(4.0))]);
    }

    #[test]
    fn sum_files_hold_bytes_per_second() {
        assert_eq!(rates(&parse_sum("1 125000\n2\t250000\n").expect("a valid trace")), [1e6, 2e6]);
    }

    #[test]
    fn seconds_may_be_longer_or_shorter() {
        let trace = parse_sum("0.0 125000\n0.5 250000\n").expect("a valid trace");
        assert_eq!(trace.steps()[0], RateStep { seconds: 0.5, bits_per_second: 2e6 });
    }

    #[test]
    fn mistakes_name_their_line() {
        let csv_mistakes = [
            ("0,1\n", "line 1 must be the header \"second,mbps[,delay_ms,loss_percent[,mean_burst]]\", got \"0,1\""),
            ("second,mbps,delay_ms,loss_percent\n0,1,5\n", "line 2 must be 4 numbers, got \"0,1,5\""),
            (
                "second,mbps,delay_ms,loss_percent\n0,1,5,0\n1,1,-5,0\n",
                "line 3: delayMs must be between 0 and 60000, got -5",
            ),
            (
                "second,mbps,delay_ms,loss_percent,mean_burst\n0,1,5,90,2\n",
                "line 2: loss: percent must be at most 66.67 in bursts of 2 packets on average, got 90",
            ),
            ("second,mbps\n0,1\n1,x\n", "line 3 must be 2 numbers, got \"1,x\""),
            ("second,mbps\n0,1\n1,inf\n", "line 3 must be 2 numbers, got \"1,inf\""),
            ("second,mbps\n0,1,2\n", "line 2 must be 2 numbers, got \"0,1,2\""),
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
