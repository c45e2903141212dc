//! The link file: JSON that describes one path or several. The README lists its fields.

mod fields;
#[cfg(test)]
mod tests;

use crate::{
    direction::{Direction, Stages},
    error::{Error, Result},
    loss::{Chain, Loss},
    packet::FULL_PACKET_BYTES,
    queue::{self, Codel, CodelParameters, DropTail, FqCodel, Pie, PieParameters, Queue},
    random::Random,
    schedule::Schedule,
    text_file,
    trace::{self, ConditionStep, RateStep, RateTrace, Recording, Trace, within_a_minute},
    transmitter::Transmitter,
};
use fields::{DirectionFields, LimitFields, LinkFile, LossFields, PathFields, QueueFields, StepFields, TraceFields};
use std::{collections::HashSet, path::Path, time::Duration};

/// Each takes two devices and two threads. More paths than any trial has are a mistake.
const MAX_PATHS: usize = 8;

/// A minute.
const MAX_MILLISECONDS: f64 = 60_000.0;

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
    let down = read_direction(&path.down, folder)?;
    let up = read_direction(&path.up, folder)?;
    let round_trip = down.mean_delay + up.mean_delay;
    let direction = |read, fields, number| {
        build_direction(read, fields, &DirectionSetting { seed, number: 2 * index + number, round_trip })
    };
    Ok(LinkPath { down: direction(down, &path.down, 0)?, up: direction(up, &path.up, 1)?, name })
}

/// What a direction needs from the rest of the file.
struct DirectionSetting {
    seed: u64,
    /// Counted over all paths.
    number: u64,
    round_trip: Duration,
}

/// A direction's trace, and how long packets travel and are lost along it.
struct ReadDirection {
    trace: Trace,
    start: Duration,
    delay: Schedule<Duration>,
    mean_delay: Duration,
    loss: Schedule<Chain>,
}

fn read_direction(fields: &DirectionFields, folder: &Path) -> Result<ReadDirection> {
    let own_delay = within_a_minute("delayMs", fields.delay_ms).map_err(Error::Input)?;
    let own_loss = fields
        .loss
        .as_ref()
        .map_or_else(|| Chain::new(0.0, None), |LossFields { percent, mean_burst }| Chain::new(*percent, *mean_burst));
    let own_loss = own_loss.map_err(|problem| Error::Input(format!("loss: {problem}")))?;
    let Recording { trace, conditions } = build_trace(&fields.trace, folder)?;
    let start = within("startSeconds", fields.trace.start_seconds, 0.0..=MAX_SECONDS)?;
    let start = Duration::from_secs_f64(start);
    if conditions.is_empty() {
        let (delay, loss) = (Schedule::constant(own_delay), Schedule::constant(own_loss));
        return Ok(ReadDirection { trace, start, delay, mean_delay: own_delay, loss });
    }
    if own_loss.loses_any() {
        return Err(Error::Input("loss: the trace has losses already".into()));
    }
    let seconds: f64 = conditions.iter().map(|step| step.seconds).sum();
    let mean = conditions.iter().map(|step| step.seconds * step.delay.as_secs_f64()).sum::<f64>() / seconds;
    let steps = Schedule::new(conditions.iter().map(|step| (step.seconds, *step)), start);
    Ok(ReadDirection {
        trace,
        start,
        delay: steps.map(|step| own_delay + step.delay),
        mean_delay: own_delay + Duration::from_secs_f64(mean),
        loss: steps.map(|step| step.loss),
    })
}

fn build_direction(read: ReadDirection, fields: &DirectionFields, setting: &DirectionSetting) -> Result<Direction> {
    let bdp_bytes = read.trace.mean() / 8.0 * setting.round_trip.as_secs_f64();
    // Loss and PIE have separate random streams.
    let random = |stream| Random::new(setting.seed, 2 * setting.number + stream);
    Ok(Direction::new(Stages {
        loss: Loss::new(read.loss, random(0)),
        queue: build_queue(&fields.queue, bdp_bytes, random(1))?,
        transmitter: Transmitter::new(read.trace, read.start),
        delay: read.delay,
    }))
}

fn build_trace(fields: &TraceFields, folder: &Path) -> Result<Recording> {
    let named = |problem: String| Error::Input(format!("trace: {problem}"));
    let step = |step: &StepFields| RateStep { seconds: step.seconds, bits_per_second: step.mbps * 1e6 };
    let recording = match (&fields.file, fields.mbps, &fields.steps) {
        (Some(file), None, None) => trace::load(&folder.join(file))?,
        (None, Some(mbps), None) => Recording::of(Trace::Rates(RateTrace::constant(mbps * 1e6).map_err(named)?)),
        (None, None, Some(steps)) => Recording {
            trace: Trace::Rates(RateTrace::new(steps.iter().map(step).collect()).map_err(named)?),
            conditions: build_conditions(steps).map_err(named)?,
        },
        (file, mbps, steps) => {
            let given = [("file", file.is_some()), ("mbps", mbps.is_some()), ("steps", steps.is_some())];
            let given: Vec<_> = given.into_iter().filter_map(|(name, given)| given.then_some(name)).collect();
            let given = if given.is_empty() { "none".to_owned() } else { given.join(" and ") };
            return Err(named(format!("must have exactly one of file, mbps and steps, got {given}")));
        }
    };
    match fields.mean_mbps {
        Some(mean) => Ok(Recording { trace: recording.trace.with_mean(mean * 1e6).map_err(named)?, ..recording }),
        None => Ok(recording),
    }
}

/// None where no step has any; where one has, what the others leave out is 0.
fn build_conditions(steps: &[StepFields]) -> Result<Vec<ConditionStep>, String> {
    if steps.iter().all(|step| (step.delay_ms, step.loss_percent, step.mean_burst) == (None, None, None)) {
        return Ok(Vec::new());
    }
    let condition = |step: &StepFields| {
        let (delay_ms, percent) = (step.delay_ms.unwrap_or(0.0), step.loss_percent.unwrap_or(0.0));
        ConditionStep::new(step.seconds, delay_ms, percent, step.mean_burst)
    };
    steps.iter().map(condition).collect()
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
