//! Files that grow: one watcher per file reads its `.vxl` for all who follow it.

use std::collections::HashMap;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::watch;
use voxel_protocol::ranges::ByteRange;
use voxel_protocol::site::Piece;
use voxel_protocol::vxl::{MAX_FILE_BYTES, Record, VxlError, VxlReader};

use crate::body::{Body, Media};
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
        let (mut reader, mut records) = (VxlReader::default(), Vec::new());
        while let Some(data) = next_bytes(&file, &reader)? {
            match reader.feed(&data) {
                Ok(found) => records.extend(found),
                Err(error) => {
                    warn(error);
                    return Ok(None);
                }
            }
        }
        Ok(Some(Self { file, reader, records }))
    }
}

/// The next bytes of a file that were not fed; `None`: there are none.
fn next_bytes(file: &SharedFile, reader: &VxlReader) -> io::Result<Option<Vec<u8>>> {
    if reader.taken() > MAX_FILE_BYTES {
        return Ok(None);
    }
    let mut buffer = vec![0; READ_BYTES];
    let count = file.file.read_at(&mut buffer, reader.taken() as u64)?;
    buffer.truncate(count);
    Ok((count > 0).then_some(buffer))
}

fn warn(error: VxlError) {
    log::warning("malformed records", &[("error", Value::from(error.to_string()))]);
}

/// Where the records of a live segment come from.
#[derive(Debug)]
pub enum Records {
    /// A file beside it, which has to be watched.
    Beside(LiveRecords),
    /// Somebody who watches them already.
    Watched(Arc<Watched>),
}

/// What a live segment is followed by.
#[derive(Debug)]
pub struct Live {
    pub records: Records,
    pub media: Arc<dyn Media>,
}

/// A record, and when it was read.
#[derive(Clone, Debug)]
pub struct Known {
    pub record: Arc<Record>,
    pub since: Instant,
}

#[derive(Debug)]
struct State {
    reader: VxlReader,
    known: Vec<Known>,
    failed: bool,
    last: Instant,
}

/// What is known of one file. It is watched until the last follower has gone.
#[derive(Debug)]
pub struct Watched {
    state: Mutex<State>,
    /// Open as long as this is known by its identity.
    file: Option<Arc<SharedFile>>,
    changes: watch::Sender<()>,
    _counted: Counted,
}

impl Watched {
    /// What is known where the reader has given these records. `file`: which they come from; `None`: they are fed.
    pub fn new(
        file: Option<Arc<SharedFile>>,
        reader: VxlReader,
        records: Vec<Record>,
        metrics: &Arc<Metrics>,
    ) -> Arc<Self> {
        let since = Instant::now();
        let known = records.into_iter().map(|record| Known { record: Arc::new(record), since }).collect();
        let state = Mutex::new(State { reader, known, failed: false, last: since });
        let counted = metrics.count("voxel_watched_files");
        Arc::new(Self { state, file, changes: watch::Sender::default(), _counted: counted })
    }

    /// Says when there is more, or that there will be none.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    pub fn record(&self, place: usize) -> Option<Known> {
        self.state().known.get(place).cloned()
    }

    /// The first bytes of the `.vxl`; empty before they are there.
    pub fn head(&self) -> Bytes {
        self.state().reader.head().clone()
    }

    /// Bytes of the media file for which there are records.
    pub fn available(&self) -> u64 {
        self.state().reader.available()
    }

    /// Whether there is the end record.
    pub fn ended(&self) -> bool {
        self.state().reader.ended()
    }

    /// Whether the end record is one of the first `count` records. Asked for at once: another thread may add it meanwhile.
    pub fn ends_within(&self, count: usize) -> bool {
        let state = self.state();
        state.reader.ended() && state.known.len() <= count
    }

    /// Whether the records are malformed, or none has come since `begun` for too long.
    pub fn is_given_up(&self, begun: Instant, now: Instant) -> bool {
        let state = self.state();
        state.failed || (!state.reader.ended() && now.saturating_duration_since(begun.max(state.last)) >= SILENCE)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next bytes of the `.vxl`.
    pub fn feed(&self, data: &[u8]) {
        let mut state = self.state();
        if state.failed {
            return;
        }
        let since = Instant::now();
        match state.reader.feed(data) {
            Ok(records) if records.is_empty() => return,
            Ok(records) => {
                state.known.extend(records.into_iter().map(|record| Known { record: Arc::new(record), since }));
            }
            Err(error) => {
                warn(error);
                state.failed = true;
            }
        }
        state.last = since;
        drop(state);
        self.changes.send_replace(());
    }

    /// No more will come: what follows the file ends with a reset.
    pub fn fail(&self) {
        self.state().failed = true;
        self.changes.send_replace(());
    }

    /// Reads what has come; returns whether more may come. What the encoder has just written is in memory: it does not
    /// block.
    fn look(&self) -> bool {
        while let Some(file) = &self.file {
            let next = next_bytes(file, &self.state().reader);
            match next {
                Ok(Some(data)) => self.feed(&data),
                Ok(None) => break,
                Err(_) => self.fail(),
            }
            if self.state().failed {
                break;
            }
        }
        let state = self.state();
        !state.reader.ended() && !state.failed
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
    /// The runtime that looks at the files: that of a worker ends when the worker fails, with all that others follow.
    runtime: Handle,
    metrics: Arc<Metrics>,
}

impl Watchers {
    /// No watcher yet. Must be called in the runtime that is to look at the files.
    pub fn new(metrics: Arc<Metrics>) -> Self {
        Self { all: Mutex::default(), runtime: Handle::current(), metrics }
    }

    /// The watcher of these records.
    pub fn follow(&self, records: Records) -> Arc<Watched> {
        let LiveRecords { file, reader, records } = match records {
            Records::Watched(watched) => return watched,
            Records::Beside(records) => records,
        };
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watched) = all.get(&file.identity).and_then(Weak::upgrade) {
            return watched;
        }
        let grows = !reader.ended();
        let identity = file.identity;
        let watched = Watched::new(Some(file), reader, records, &self.metrics);
        all.retain(|_, watched| watched.strong_count() > 0);
        all.insert(identity, Arc::downgrade(&watched));
        if grows {
            self.runtime.spawn(poll(Arc::downgrade(&watched)));
        }
        watched
    }
}

/// The bytes of a response over HTTP that follows a file, up to the last complete record.
#[derive(Debug)]
pub struct Growing {
    pub watched: Arc<Watched>,
    media: Arc<dyn Media>,
    /// What was asked for and not taken; its end may lie beyond the file's.
    left: ByteRange,
}

impl Growing {
    pub fn new(watched: Arc<Watched>, media: Arc<dyn Media>, wanted: ByteRange) -> Self {
        Self { watched, media, left: wanted }
    }

    /// The next bytes that are there.
    pub fn take(&mut self) -> Option<Body> {
        let end = self.watched.available().min(self.left.end);
        let range = ByteRange { start: self.left.start, end: end.max(self.left.start) };
        self.left.start = range.end;
        (!range.is_empty()).then(|| Body::new([Piece::Range(range)], Arc::clone(&self.media).content()))
    }

    /// Whether nothing is left to come.
    pub fn finished(&self) -> bool {
        self.left.is_empty() || (self.watched.ended() && self.left.start >= self.watched.available())
    }
}

#[cfg(test)]
mod tests;
