//! A file of the origin's that grows, and its records: fetched once, for all who follow it.
//!
//! A record is told to followers when all bytes that it names have come. The file is kept in memory until it is whole and
//! stored.

mod reader;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::HeaderValue;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use voxel_protocol::vxl::{MAX_FILE_BYTES, VxlReader};

use super::failure::Failure;
use super::tail::Tail;
use super::upstream::Upstream;
use crate::body::Media;
use crate::growing::{SILENCE, Watched};
use crate::metrics::Metrics;

/// Interval at which an origin that does not stream is asked for new records: a quarter of a chunk of four frames at 25
/// frames/s. A follower waits for half of that on average.
const POLL: Duration = Duration::from_millis(40);

/// The same where the media stream: their next bytes show that there is a record.
const POLL_BESIDE_A_STREAM: Duration = Duration::from_millis(250);

/// The least time between two requests for the same file.
const LEAST_PAUSE: Duration = Duration::from_millis(10);

/// Pause before a request that failed is sent once more.
const PAUSE: Duration = Duration::from_millis(200);

/// Time for which a response waits for what is there already.
const PATIENCE: Duration = Duration::from_secs(2);

/// Most bytes of a file that grows: a segment of six seconds has 15 MB at 20 Mbit/s.
pub const MOST_BYTES: u64 = 32 * 1024 * 1024;

/// Most bytes of all files that grow.
const MOST_BYTES_OF_ALL: u64 = 256 * 1024 * 1024;

/// Longest time for which a file may grow: as many chunks as there may be, of four frames each.
const LONGEST: Duration = Duration::from_secs(15 * 60);

#[derive(Debug)]
struct State {
    media: Vec<u8>,
    /// The `.vxl` so far.
    records: Vec<u8>,
    reader: VxlReader,
    /// Records whose media have not all come, and how many bytes of them they need.
    waiting: VecDeque<(Bytes, u64)>,
    /// When the last record came, or the last follower.
    last: Instant,
    /// Where the media are, once they are in the cache.
    kept: Option<Arc<dyn Media>>,
}

#[derive(Debug)]
pub struct Mirror {
    pub url: String,
    pub watched: Arc<Watched>,
    state: Mutex<State>,
    /// Bytes of the media that the first records named.
    first: u64,
    /// Bytes of the media that records name.
    named: watch::Sender<u64>,
    /// Bytes of the media that have come.
    come: watch::Sender<u64>,
    /// Whether there is the head of the records.
    begun: watch::Sender<bool>,
    /// Whether nothing more is to come.
    ended: watch::Sender<bool>,
    media_stream: AtomicBool,
    /// Bytes of all files that grow.
    bytes_of_all: Arc<AtomicU64>,
}

impl Mirror {
    /// A file of which nothing has come; its records begin with `records`. Fails if they are malformed.
    pub fn new(
        url: &str,
        records: &[u8],
        bytes_of_all: &Arc<AtomicU64>,
        metrics: &Arc<Metrics>,
    ) -> Result<Arc<Self>, Failure> {
        let state = State {
            media: Vec::new(),
            records: Vec::new(),
            reader: VxlReader::default(),
            waiting: VecDeque::new(),
            last: Instant::now(),
            kept: None,
        };
        let mut mirror = Self {
            url: url.to_owned(),
            watched: Watched::new(None, VxlReader::default(), Vec::new(), metrics),
            state: Mutex::new(state),
            first: 0,
            named: watch::Sender::default(),
            come: watch::Sender::default(),
            begun: watch::Sender::default(),
            ended: watch::Sender::default(),
            media_stream: AtomicBool::new(false),
            bytes_of_all: Arc::clone(bytes_of_all),
        };
        mirror.take_records(records)?;
        mirror.first = *mirror.named.borrow();
        Ok(Arc::new(mirror))
    }

    /// Fetches the file until it is whole. `etag`: the validator of the records that there are.
    pub async fn run(&self, upstream: &Upstream, records_url: &str, etag: Option<HeaderValue>) -> Result<(), Failure> {
        let have = self.state().records.len() as u64;
        let records = Tail::new(records_url.to_owned(), (have, etag), MAX_FILE_BYTES as u64 + 1);
        let media = Tail::new(self.url.clone(), (0, None), MOST_BYTES);
        let mut ended = self.ended.subscribe();
        let failed = tokio::select! {
            _ = ended.wait_for(|ended| *ended) => return Ok(()),
            failed = self.follow_records(upstream, records) => failed,
            failed = self.follow_media(upstream, media) => failed,
            failed = self.silence() => failed,
        };
        failed.map(|never| match never {})
    }

    async fn follow_records(&self, upstream: &Upstream, mut tail: Tail) -> Result<Infallible, Failure> {
        let mut come = self.come.subscribe();
        loop {
            patiently(tail.advance(upstream, |_| {}, |data| self.take_records(data)).await).await?;
            if self.media_stream.load(Ordering::Relaxed) {
                let named = *self.named.borrow();
                let _ = timeout(POLL_BESIDE_A_STREAM, come.wait_for(|come| *come > named)).await;
                sleep(LEAST_PAUSE).await;
            } else {
                sleep(POLL).await;
            }
        }
    }

    async fn follow_media(&self, upstream: &Upstream, mut tail: Tail) -> Result<Infallible, Failure> {
        let mut named = self.named.subscribe();
        loop {
            let streams = |streams| self.media_stream.store(streams, Ordering::Relaxed);
            let came = patiently(tail.advance(upstream, streams, |data| self.take_media(data)).await).await?;
            if self.media_stream.swap(false, Ordering::Relaxed) {
                // What is missing may be asked for once more, and the records tell whether anything is.
                self.come.send_modify(|_| {});
            }
            sleep(if came { LEAST_PAUSE } else { POLL }).await;
            let _ = named.wait_for(|named| *named > tail.have()).await;
        }
    }

    /// Ends when nothing has come for too long.
    async fn silence(&self) -> Result<Infallible, Failure> {
        let begun = Instant::now();
        loop {
            sleep(SILENCE / 10).await;
            if self.state().last.elapsed() > SILENCE {
                return Err(Failure::Bad(format!("nothing new of a file that grows for {} s", SILENCE.as_secs())));
            }
            if begun.elapsed() > LONGEST {
                return Err(Failure::Bad(format!("a file grows for more than {} s", LONGEST.as_secs())));
            }
        }
    }

    fn take_records(&self, data: &[u8]) -> Result<(), Failure> {
        let mut state = self.state();
        state.records.extend_from_slice(data);
        let had_head = !state.reader.head().is_empty();
        let malformed = |error| Failure::Bad(format!("the origin sent malformed records: {error}"));
        let mut named = state.reader.available();
        for record in state.reader.feed(data).map_err(malformed)? {
            named = record.chunk.as_ref().map_or(named, |chunk| chunk.end);
            state.waiting.push_back((record.raw, named));
            state.last = Instant::now();
        }
        if !had_head && !state.reader.head().is_empty() {
            self.watched.feed(state.reader.head());
            self.begun.send_replace(true);
        }
        self.publish(&mut state);
        self.named.send_if_modified(|before| std::mem::replace(before, named) != named);
        Ok(())
    }

    fn take_media(&self, data: &[u8]) -> Result<(), Failure> {
        if self.bytes_of_all.fetch_add(data.len() as u64, Ordering::Relaxed) > MOST_BYTES_OF_ALL {
            self.bytes_of_all.fetch_sub(data.len() as u64, Ordering::Relaxed);
            return Err(Failure::Bad("the files that grow are too long together".to_owned()));
        }
        let mut state = self.state();
        state.media.extend_from_slice(data);
        self.publish(&mut state);
        let come = state.media.len() as u64;
        drop(state);
        self.come.send_replace(come);
        Ok(())
    }

    /// Tells followers the records whose media have come.
    fn publish(&self, state: &mut State) {
        let come = state.media.len() as u64;
        while state.waiting.front().is_some_and(|(_, needed)| *needed <= come) {
            if let Some((record, _)) = state.waiting.pop_front() {
                self.watched.feed(&record);
            }
        }
        if state.reader.ended() && state.waiting.is_empty() {
            self.ended.send_replace(true);
        }
    }

    /// Somebody follows it from now on. Waits for the media of the records that were there when it was found.
    pub async fn used(&self) {
        self.state().last = Instant::now();
        let (mut come, mut ended) = (self.come.subscribe(), self.ended.subscribe());
        tokio::select! {
            _ = come.wait_for(|come| *come >= self.first) => {}
            _ = ended.wait_for(|ended| *ended) => {}
            () = sleep(PATIENCE) => {}
        }
    }

    /// Whether its records turn out to be some, as far as that is known soon.
    pub async fn has_records(&self) -> bool {
        let (mut begun, mut ended) = (self.begun.subscribe(), self.ended.subscribe());
        tokio::select! {
            _ = begun.wait_for(|begun| *begun) => true,
            _ = ended.wait_for(|ended| *ended) => *self.begun.borrow(),
            () = sleep(PATIENCE) => true,
        }
    }

    /// No more will come.
    pub fn fail(&self) {
        self.watched.fail();
        self.ended.send_replace(true);
    }

    /// The media and the records of a file that is whole.
    pub fn content(&self) -> (Bytes, Bytes) {
        let state = self.state();
        let media = &state.media[..state.reader.available() as usize];
        (Bytes::copy_from_slice(media), Bytes::copy_from_slice(&state.records))
    }

    /// From here on the media are read from there, and no longer in memory.
    pub fn keep(&self, kept: Arc<dyn Media>) {
        let mut state = self.state();
        state.kept = Some(kept);
        let media = std::mem::take(&mut state.media);
        self.bytes_of_all.fetch_sub(media.len() as u64, Ordering::Relaxed);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        let bytes = self.state().media.len() as u64;
        self.bytes_of_all.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// What a request came to. After one that may be tried again, some time passes.
async fn patiently(came: Result<bool, Failure>) -> Result<bool, Failure> {
    match came {
        Err(Failure::Broken(_) | Failure::Down(_) | Failure::NotFound) => {
            sleep(PAUSE).await;
            Ok(false)
        }
        other => other,
    }
}
