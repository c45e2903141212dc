//! The link file: JSON that describes one path or several. The README lists its fields.

mod fields;
#[cfg(test)]
mod tests;

use crate::{
    direction::{Direction, Stages},
    error::{Error, Result},
    loss::Loss,
    packet::FULL_PACKET_BYTES,
    queue::{self, Codel, CodelParameters, DropTail, FqCodel, Pie, PieParameters, Queue},
    random::Random,
    text_file,
    trace::{self, RateStep, RateTrace, Trace},
    transmitter::Transmitter,
};
use fields::{DirectionFields, LimitFields, LinkFile, LossFields, PathFields, QueueFields, StepFields, TraceFields};
use std::{collections::HashSet, path::Path, time::Duration};

/// Each takes two devices and two threads. More paths than any trial has are a mistake.
const MAX_PATHS: usize = 8;

/// A minute each way is more than any link needs; more is probably a mistake in the unit.
const MAX_MILLISECONDS: f64 = 60_000.0;

/// Packets. Longer gaps are outages, which a trace has.
const MAX_BURST: f64 = 10_000.0;

/// A day.
const MAX_SECONDS: f64 = 86_400.0;

/// A link, ready to carry packets.
pub struct Link {
    pub paths: Vec<LinkPath>,
}

/// Both directions of one path.
pub struct LinkPath {
    pub name: String,
    /// From the server to the client.
    pub down: Direction,
    pub up: Direction,
}

/// Reads a link file and the traces that it names, relative to it.
pub fn load(file: &Path) -> Result<Link> {
    let text = text_file::read(file)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    parse(&text, folder).map_err(|error| match error {
        Error::Input(problem) => Error::Input(format!("{}: {problem}", file.display())),
        other @ Error::System { .. } => other,
    })
}

fn parse(text: &str, folder: &Path) -> Result<Link> {
    let file: LinkFile = serde_json::from_str(text).map_err(|problem| Error::Input(problem.to_string()))?;
    if !(1..=MAX_PATHS).contains(&file.paths.len()) {
        return Err(Error::Input(format!("paths must have 1 to {MAX_PATHS} entries, got {}", file.paths.len())));
    }
    let numbered = (0..).zip(&file.paths);
    let paths = numbered.map(|(index, path)| build_path(path, index, file.seed, folder)).collect::<Result<Vec<_>>>()?;
    let mut names = HashSet::new();
    if let Some(twice) = paths.iter().find(|path| !names.insert(&path.name)) {
        return Err(Error::Input(format!("paths: names must differ, got {:?} twice", twice.name)));
    }
    Ok(Link { paths })
}

fn build_path(path: &PathFields, index: u64, seed: u64, folder: &Path) -> Result<LinkPath> {
    let name = path.name.clone().unwrap_or_else(|| format!("path{index}"));
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if name.is_empty() || !name.chars().all(plain) {
        return Err(Error::Input(format!("paths: name must consist of letters, digits, - and _, got {name:?}")));
    }
    let delay = |fields: &DirectionFields| within("delayMs", fields.delay_ms, 0.0..=MAX_MILLISECONDS);
    let round_trip = Duration::from_secs_f64((delay(&path.down)? + delay(&path.up)?) / 1e3);
    let direction = |fields, number| {
        build_direction(fields, &DirectionSetting { seed, number: 2 * index + number, round_trip, folder })
    };
    Ok(LinkPath { down: direction(&path.down, 0)?, up: direction(&path.up, 1)?, name })
}

/// What a direction needs from the rest of the file.
struct DirectionSetting<'a> {
    seed: u64,
    /// Counted over all paths.
    number: u64,
    round_trip: Duration,
    folder: &'a Path,
}

fn build_direction(fields: &DirectionFields, setting: &DirectionSetting) -> Result<Direction> {
    let trace = build_trace(&fields.trace, setting.folder)?;
    let start = within("startSeconds", fields.trace.start_seconds, 0.0..=MAX_SECONDS)?;
    let bdp_bytes = trace.mean() / 8.0 * setting.round_trip.as_secs_f64();
    // Loss and PIE have separate random streams.
    let random = |stream| Random::new(setting.seed, 2 * setting.number + stream);
    Ok(Direction::new(Stages {
        loss: build_loss(fields.loss.as_ref(), random(0))?,
        queue: build_queue(&fields.queue, bdp_bytes, random(1))?,
        transmitter: Transmitter::new(trace, Duration::from_secs_f64(start)),
        delay: Duration::from_secs_f64(fields.delay_ms / 1e3),
    }))
}

fn build_loss(fields: Option<&LossFields>, random: Random) -> Result<Loss> {
    let Some(fields) = fields else {
        return Ok(Loss::independent(0.0, random));
    };
    let share = within("loss: percent", fields.percent, 0.0..=100.0)? / 100.0;
    let Some(mean_burst) = fields.mean_burst else {
        return Ok(Loss::independent(share, random));
    };
    let mean_burst = within("loss: meanBurst", mean_burst, 1.0..=MAX_BURST)?;
    Loss::in_bursts(share, mean_burst, random).map_err(|most| {
        let (most, percent) = (100.0 * most, fields.percent);
        Error::Input(format!(
            "loss: percent must be at most {most:.2} in bursts of {mean_burst} packets on average, got {percent}"
        ))
    })
}

fn build_trace(fields: &TraceFields, folder: &Path) -> Result<Trace> {
    let named = |problem: String| Error::Input(format!("trace: {problem}"));
    let step = |step: &StepFields| RateStep { seconds: step.seconds, bits_per_second: step.mbps * 1e6 };
    let trace = match (&fields.file, fields.mbps, &fields.steps) {
        (Some(file), None, None) => trace::load(&folder.join(file))?,
        (None, Some(mbps), None) => Trace::Rates(RateTrace::constant(mbps * 1e6).map_err(named)?),
        (None, None, Some(steps)) => Trace::Rates(RateTrace::new(steps.iter().map(step).collect()).map_err(named)?),
        (file, mbps, steps) => {
            let given = [("file", file.is_some()), ("mbps", mbps.is_some()), ("steps", steps.is_some())];
            let given: Vec<_> = given.into_iter().filter_map(|(name, given)| given.then_some(name)).collect();
            let given = if given.is_empty() { "none".to_owned() } else { given.join(" and ") };
            return Err(named(format!("must have exactly one of file, mbps and steps, got {given}")));
        }
    };
    match fields.mean_mbps {
        Some(mean) => trace.with_mean(mean * 1e6).map_err(named),
        None => Ok(trace),
    }
}

fn build_queue(fields: &QueueFields, bdp_bytes: f64, random: Random) -> Result<Box<dyn Queue>> {
    let limit = |limit: &LimitFields| build_limit(limit, bdp_bytes);
    Ok(match fields {
        QueueFields::DropTail { limit: fields } => Box::new(DropTail::new(limit(fields)?)),
        QueueFields::Codel { limit: fields, target_ms, interval_ms } => {
            Box::new(Codel::new(limit(fields)?, codel_parameters(*target_ms, *interval_ms)?))
        }
        QueueFields::FqCodel { limit: fields, target_ms, interval_ms } => {
            Box::new(FqCodel::new(limit(fields)?, codel_parameters(*target_ms, *interval_ms)?))
        }
        QueueFields::Pie { limit: fields, target_ms } => {
            let target = milliseconds("targetMs", *target_ms)?.unwrap_or(PieParameters::default().target);
            Box::new(Pie::new(limit(fields)?, PieParameters { target }, random))
        }
    })
}

fn codel_parameters(target_ms: Option<f64>, interval_ms: Option<f64>) -> Result<CodelParameters> {
    let standard = CodelParameters::default();
    Ok(CodelParameters {
        target: milliseconds("targetMs", target_ms)?.unwrap_or(standard.target),
        interval: milliseconds("intervalMs", interval_ms)?.unwrap_or(standard.interval),
    })
}

/// The bandwidth-delay product is counted in full packets, rounded up: 1.25 × 10 Mbit/s × 30 ms are the 32 packets of
/// the thesis (§6.4).
fn build_limit(fields: &LimitFields, bdp_bytes: f64) -> Result<queue::Limit> {
    let limit = match *fields {
        LimitFields::Packets(packets) => queue::Limit::Packets(packets),
        LimitFields::Bytes(bytes) => queue::Limit::Bytes(bytes),
        LimitFields::Bdp(multiple) => {
            let bytes = within("bdp", multiple, 0.0..=1000.0)? * bdp_bytes;
            queue::Limit::Packets((bytes / FULL_PACKET_BYTES as f64).ceil() as usize)
        }
    };
    match limit {
        queue::Limit::Packets(0) => Err(Error::Input("limit must allow at least 1 packet, got 0".into())),
        queue::Limit::Bytes(bytes) if bytes < FULL_PACKET_BYTES => {
            Err(Error::Input(format!("limit must allow at least {FULL_PACKET_BYTES} bytes, one packet, got {bytes}")))
        }
        _ => Ok(limit),
    }
}

fn milliseconds(name: &str, value: Option<f64>) -> Result<Option<Duration>> {
    let seconds =
        |value| within(name, value, 0.001..=MAX_MILLISECONDS).map(|value| Duration::from_secs_f64(value / 1e3));
    value.map(seconds).transpose()
}

fn within(name: &str, value: f64, range: std::ops::RangeInclusive<f64>) -> Result<f64> {
    if range.contains(&value) {
        return Ok(value);
    }
    Err(Error::Input(format!("{name} must be between {} and {}, got {value}", range.start(), range.end())))
}
