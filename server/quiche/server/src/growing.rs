//! Files that grow: one watcher per file reads its `.vxl` for all who follow it.

use std::collections::HashMap;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;
use tokio::sync::watch;
use voxel_protocol::ranges::ByteRange;
use voxel_protocol::site::Piece;
use voxel_protocol::vxl::{MAX_FILE_BYTES, Record, VxlReader};

use crate::body::Body;
use crate::log;
use crate::metrics::{Counted, Metrics};
use crate::shared_files::{Identity, SharedFile};

/// Interval at which a file is looked at: a thirteenth of a chunk of four frames at 30 frames/s.
const POLL: Duration = Duration::from_millis(10);

/// Time without a record after which the encoder is taken for dead.
pub const SILENCE: Duration = Duration::from_secs(10);

const READ_BYTES: usize = 16 * 1024;

/// The records beside a live segment, as far as they were there when its file was opened.
#[derive(Debug)]
pub struct LiveRecords {
    file: Arc<SharedFile>,
    pub reader: VxlReader,
    records: Vec<Record>,
}

impl LiveRecords {
    /// The records in a file; `None`: they are malformed. Blocks.
    pub fn read(file: Arc<SharedFile>) -> io::Result<Option<Self>> {
        let mut records = Self { file, reader: VxlReader::default(), records: Vec::new() };
        let found = records.look()?;
        Ok(found.map(|found| Self { records: found, ..records }))
    }

    /// The records that are new; `None`: they are malformed.
    fn look(&mut self) -> io::Result<Option<Vec<Record>>> {
        let mut found = Vec::new();
        let mut buffer = [0; READ_BYTES];
        while self.reader.taken() <= MAX_FILE_BYTES {
            let count = self.file.file.read_at(&mut buffer, self.reader.taken() as u64)?;
            if count == 0 {
                break;
            }
            match self.reader.feed(&buffer[..count]) {
                Ok(records) => found.extend(records),
                Err(error) => {
                    log::warning("malformed records", &[("error", Value::from(error.to_string()))]);
                    return Ok(None);
                }
            }
        }
        Ok(Some(found))
    }
}

/// A record, and when it was read.
#[derive(Clone, Debug)]
pub struct Known {
    pub record: Arc<Record>,
    pub since: Instant,
}

#[derive(Debug)]
struct State {
    file: LiveRecords,
    known: Vec<Known>,
    failed: bool,
    last: Instant,
}

/// What is known of one file. It is watched until the last follower has gone.
#[derive(Debug)]
pub struct Watched {
    state: Mutex<State>,
    changes: watch::Sender<()>,
    _counted: Counted,
}

impl Watched {
    /// Says when there is more, or that there will be none.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    pub fn record(&self, place: usize) -> Option<Known> {
        self.state().known.get(place).cloned()
    }

    /// The first bytes of the `.vxl`; empty before they are there.
    pub fn head(&self) -> Bytes {
        self.state().file.reader.head().clone()
    }

    /// Bytes of the media file for which there are records.
    pub fn available(&self) -> u64 {
        self.state().file.reader.available()
    }

    /// Whether there is the end record.
    pub fn ended(&self) -> bool {
        self.state().file.reader.ended()
    }

    /// Whether the records are malformed, or none has come since `begun` for too long.
    pub fn is_given_up(&self, begun: Instant, now: Instant) -> bool {
        let state = self.state();
        state.failed || (!state.file.reader.ended() && now.saturating_duration_since(begun.max(state.last)) >= SILENCE)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what has come; returns whether more may come. What the encoder has just written is in memory: it does not
    /// block.
    fn look(&self) -> bool {
        let mut state = self.state();
        let records = state.file.look().ok().flatten();
        state.failed = records.is_none();
        let (records, since) = (records.unwrap_or_default(), Instant::now());
        let news = !records.is_empty() || state.failed;
        if news {
            state.last = since;
        }
        state.known.extend(records.into_iter().map(|record| Known { record: Arc::new(record), since }));
        let more = !state.file.reader.ended() && !state.failed;
        drop(state);
        if news {
            self.changes.send_replace(());
        }
        more
    }
}

async fn poll(watched: Weak<Watched>) {
    let mut ticks = tokio::time::interval(POLL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if !watched.upgrade().is_some_and(|watched| watched.look()) {
            return;
        }
    }
}

/// The watchers of all files that are followed, and of those that were when the last one began.
#[derive(Debug)]
pub struct Watchers {
    all: Mutex<HashMap<Identity, Weak<Watched>>>,
    metrics: Arc<Metrics>,
}

impl Watchers {
    pub fn new(metrics: Arc<Metrics>) -> Self {
        Self { all: Mutex::default(), metrics }
    }

    /// The watcher of a file with these records. Must be called in the runtime.
    pub fn follow(&self, mut file: LiveRecords) -> Arc<Watched> {
        let identity = file.file.identity;
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watched) = all.get(&identity).and_then(Weak::upgrade) {
            return watched;
        }
        let since = Instant::now();
        let records = std::mem::take(&mut file.records).into_iter();
        let known = records.map(|record| Known { record: Arc::new(record), since }).collect();
        let grows = !file.reader.ended();
        let state = Mutex::new(State { file, known, failed: false, last: since });
        let (changes, counted) = (watch::Sender::default(), self.metrics.count("voxel_watched_files"));
        let watched = Arc::new(Watched { state, changes, _counted: counted });
        all.retain(|_, watched| watched.strong_count() > 0);
        all.insert(identity, Arc::downgrade(&watched));
        if grows {
            tokio::spawn(poll(Arc::downgrade(&watched)));
        }
        watched
    }
}

/// The bytes of a response over HTTP that follows a file, up to the last complete record.
#[derive(Debug)]
pub struct Growing {
    pub watched: Arc<Watched>,
    file: Arc<SharedFile>,
    /// What was asked for and not taken; its end may lie beyond the file's.
    left: ByteRange,
}

impl Growing {
    pub fn new(watched: Arc<Watched>, file: Arc<SharedFile>, wanted: ByteRange) -> Self {
        Self { watched, file, left: wanted }
    }

    /// The next bytes that are there.
    pub fn take(&mut self) -> Option<Body> {
        let end = self.watched.available().min(self.left.end);
        let range = ByteRange { start: self.left.start, end: end.max(self.left.start) };
        self.left.start = range.end;
        (!range.is_empty()).then(|| Body::new([Piece::Range(range)], Box::new(Arc::clone(&self.file))))
    }

    /// Whether nothing is left to come.
    pub fn finished(&self) -> bool {
        self.left.is_empty() || (self.watched.ended() && self.left.start >= self.watched.available())
    }
}
