//! The log of a link: a CSV file for each direction with a line for each second, and a summary at the end.

use linkemu::{
    direction::Tick,
    error::{Context, Result},
};
use serde::Serialize;
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, Sender},
    thread::{self, JoinHandle},
    time::Duration,
};

/// A packet that leaves later is late because of this machine, not the link, and makes measurements invalid.
const VALID_LATENESS: Duration = Duration::from_millis(10);

const COLUMNS: &str = "second,arrived_packets,arrived_bytes,capacity_bytes,delivered_packets,delivered_bytes,lost,\
dropped_full,dropped_managed,undelivered,queue_packets,queue_bytes,queue_packets_max,sojourn_ms_mean,sojourn_ms_max,\
late_us_max";

/// One tick of one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Which direction, in the order of the names.
    pub direction: usize,
    pub tick: Tick,
    /// Packets that the far end refused.
    pub undelivered: u64,
    /// The longest time by which a packet left late.
    pub late_max: Duration,
}

impl Row {
    pub fn new(direction: usize) -> Self {
        Self { direction, tick: Tick::default(), undelivered: 0, late_max: Duration::ZERO }
    }
}

/// Totals since the link's first packet.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Whether every packet left within 10 ms of its time.
    pub valid: bool,
    pub late_us_max: u64,
    pub directions: Vec<DirectionSummary>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DirectionSummary {
    name: String,
    arrived_packets: usize,
    delivered_packets: usize,
    delivered_bytes: usize,
    capacity_bytes: f64,
    lost: u64,
    dropped_full: u64,
    dropped_managed: u64,
    undelivered: u64,
    late_us_max: u64,
}

/// The files of a log; without a folder only the summary is kept.
pub struct LogBook {
    folder: Option<PathBuf>,
    directions: Vec<DirectionLog>,
}

struct DirectionLog {
    file: Option<(PathBuf, File)>,
    summary: DirectionSummary,
}

impl LogBook {
    pub fn open<'a>(names: impl Iterator<Item = &'a str>, folder: Option<&Path>) -> Result<Self> {
        if let Some(folder) = folder {
            fs::create_dir_all(folder).context(format!("cannot create {}", folder.display()))?;
        }
        let directions = names.map(|name| DirectionLog::open(name, folder)).collect::<Result<_>>()?;
        Ok(Self { folder: folder.map(Path::to_owned), directions })
    }

    /// Writes on a thread of its own, so that a slow disk makes no packet late; ends when no sender is left.
    pub fn start(mut self) -> (Sender<Row>, JoinHandle<Result<Summary>>) {
        let (sender, rows) = mpsc::channel();
        (sender, thread::spawn(move || self.write(&rows)))
    }

    fn write(&mut self, rows: &Receiver<Row>) -> Result<Summary> {
        for row in rows {
            self.directions[row.direction].add(&row)?;
        }
        let directions: Vec<_> = self.directions.drain(..).map(|direction| direction.summary).collect();
        let late_us_max = directions.iter().map(|direction| direction.late_us_max).max().unwrap_or_default();
        let valid = u128::from(late_us_max) <= VALID_LATENESS.as_micros();
        let summary = Summary { valid, late_us_max, directions };
        if let Some(folder) = &self.folder {
            let file = folder.join("summary.json");
            let text = serde_json::to_string_pretty(&summary).expect("plain fields");
            fs::write(&file, text + "\n").context(format!("cannot write {}", file.display()))?;
        }
        Ok(summary)
    }
}

impl DirectionLog {
    fn open(name: &str, folder: Option<&Path>) -> Result<Self> {
        let open = |folder: &Path| {
            let path = folder.join(format!("{name}.csv"));
            let file = File::create(&path).context(format!("cannot create {}", path.display()))?;
            Ok((path, file))
        };
        let summary = DirectionSummary { name: name.to_owned(), ..DirectionSummary::default() };
        let mut log = Self { file: folder.map(open).transpose()?, summary };
        log.write_line(COLUMNS)?;
        Ok(log)
    }

    fn add(&mut self, row: &Row) -> Result<()> {
        let Row { tick, .. } = row;
        let late_us_max = row.late_max.as_micros() as u64;
        let total = &mut self.summary;
        total.arrived_packets += tick.arrived.packets;
        total.delivered_packets += tick.delivered.packets;
        total.delivered_bytes += tick.delivered.bytes;
        total.capacity_bytes += tick.capacity_bytes;
        total.lost += tick.lost;
        total.dropped_full += tick.drops.full;
        total.dropped_managed += tick.drops.managed;
        total.undelivered += row.undelivered;
        total.late_us_max = total.late_us_max.max(late_us_max);
        self.write_line(&line_of(row))
    }

    fn write_line(&mut self, line: &str) -> Result<()> {
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        writeln!(file, "{line}").context(format!("cannot write {}", path.display()))
    }
}

fn line_of(Row { tick, undelivered, late_max, .. }: &Row) -> String {
    let sojourn_mean = tick.sojourn_sum.as_secs_f64() * 1e3 / tick.delivered.packets.max(1) as f64;
    format!(
        "{},{},{},{:.0},{},{},{},{},{},{undelivered},{},{},{},{sojourn_mean:.3},{:.3},{}",
        tick.start.as_secs(),
        tick.arrived.packets,
        tick.arrived.bytes,
        tick.capacity_bytes,
        tick.delivered.packets,
        tick.delivered.bytes,
        tick.lost,
        tick.drops.full,
        tick.drops.managed,
        tick.queue.packets,
        tick.queue.bytes,
        tick.queue_packets_max,
        tick.sojourn_max.as_secs_f64() * 1e3,
        late_max.as_micros(),
    )
}
