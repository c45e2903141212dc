//! What is asked of the origin, and what becomes of its answers.

mod whole;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task;
use voxel_protocol::ranges::ByteRange;

use super::answer::{Answer, interpret};
use super::entry::Entry;
use super::failure::Failure;
use super::upstream::Response;
use super::version::Version;
use super::{BLOCK_BYTES, Edge, Found, entry_name};
use crate::log;

/// An origin that sends no parts has to send all of a file at a time, which is kept in memory meanwhile.
const MOST_WHOLE_BYTES: u64 = 32 * 1024 * 1024;

/// Pause before a request whose connection failed is sent once more.
const PAUSE: Duration = Duration::from_millis(100);

/// A block on its way: see [`landed`].
type Fetch = watch::Receiver<Option<Result<Bytes, Failure>>>;

const FIRST_BLOCK: ByteRange = ByteRange { start: 0, end: BLOCK_BYTES };

impl Edge {
    /// Asks the origin what there is at an address, and for its first block if that is not known.
    pub(super) async fn check(self: &Arc<Self>, url: &str) -> Result<Found, Failure> {
        let old = self.known_or_stored(url).await;
        if let Some(entry) = old.as_ref().filter(|entry| entry.is_fresh(SystemTime::now())) {
            return Ok(Found::Stored(Arc::clone(entry)));
        }
        let answer = twice(|| self.ask(url, old.as_deref())).await;
        answer.or_else(|failure| self.without_the_origin(url, old, failure))
    }

    async fn known_or_stored(self: &Arc<Self>, url: &str) -> Option<Arc<Entry>> {
        if let Some(entry) = self.known(url) {
            return Some(entry);
        }
        let (edge, name) = (Arc::clone(self), entry_name(url));
        let stored = task::spawn_blocking(move || edge.store.read(&name)).await.ok()??;
        let entry: Entry = serde_json::from_slice(&stored).ok()?;
        (entry.url == url).then(|| self.learn(entry))
    }

    async fn ask(self: &Arc<Self>, url: &str, old: Option<&Entry>) -> Result<Found, Failure> {
        let conditions = old.map(|old| old.version.unless_same()).unwrap_or_default();
        if old.is_some() {
            self.metrics.add("voxel_origin_revalidations_total", 1);
        }
        let response = self.upstream.get(url, Some(FIRST_BLOCK), conditions).await?;
        match (interpret(&response.head, FIRST_BLOCK, url)?, old) {
            (Answer::NotModified, Some(old)) => {
                Ok(Found::Stored(self.learn(old.revalidated(&response.head, SystemTime::now()))))
            }
            (Answer::Part { range, size }, _) => self.take(url, Some(size), response, Some(range.len())).await,
            (Answer::Whole { size }, _) => self.take(url, size, response, size).await,
            // An empty file has no first block.
            (Answer::OutOfRange, _) => {
                // With its permit: requests that each held one and waited for another would all wait forever.
                drop(response);
                self.ask_for_all(url).await
            }
            (Answer::NotModified, None) => Err(Failure::Bad("the origin answered 304 without a reason".to_owned())),
        }
    }

    async fn ask_for_all(self: &Arc<Self>, url: &str) -> Result<Found, Failure> {
        let response = self.upstream.get(url, None, Vec::new()).await?;
        match interpret(&response.head, FIRST_BLOCK, url)? {
            Answer::Whole { size } => self.take(url, size, response, size).await,
            _ => Err(Failure::Bad("the origin answered 416 and then no file".to_owned())),
        }
    }

    /// Reads and stores the answer to a request for the first block. `size`: of the file, and `length`: of the answer's
    /// body, if that is known.
    async fn take(
        self: &Arc<Self>,
        url: &str,
        size: Option<u64>,
        response: Response,
        length: Option<u64>,
    ) -> Result<Found, Failure> {
        let head = response.head.clone();
        let mut version = Version::new(&head.headers, size.unwrap_or(0), SystemTime::now());
        if length.is_some() && self.store.holds(&block_name(url, &version, 0)) {
            // The origin did not say that nothing changed, but nothing has. The rest of its answer is not read.
            if let Some(entry) = Entry::new(url, version.clone(), &head, SystemTime::now()) {
                return Ok(Found::Stored(self.learn(entry)));
            }
        }
        if length.is_some_and(|length| length > MOST_WHOLE_BYTES) {
            return Err(without_parts());
        }
        let may_be_stored = Entry::new(url, version.clone(), &head, SystemTime::now()).is_some();
        if !may_be_stored && version.size > BLOCK_BYTES {
            return Err(not_to_be_stored());
        }
        // What may not be stored stays in memory as long as clients read it, each time it is asked for.
        let most = if may_be_stored { MOST_WHOLE_BYTES } else { BLOCK_BYTES };
        let (bytes, permit) = self.upstream.read(response, length, most).await?;
        if length.is_none() {
            version.size = bytes.len() as u64;
        }
        let Some(entry) = Entry::new(url, version.clone(), &head, SystemTime::now()) else {
            return Ok(Found::Passed(Arc::new(version), bytes));
        };
        let json = serde_json::to_vec(&entry).map_err(|error| Failure::Bad(error.to_string()))?;
        let mut files = blocks(url, &version, 0, &bytes);
        files.push((entry_name(url), json.into()));
        self.keep(files, permit);
        Ok(Found::Stored(self.learn(entry)))
    }

    /// The origin did not answer, or not about the file.
    fn without_the_origin(&self, url: &str, old: Option<Arc<Entry>>, failure: Failure) -> Result<Found, Failure> {
        if failure.is_of_the_origin() {
            self.count_failure(url, &failure);
            let old = old.and_then(|old| old.without_the_origin(SystemTime::now())).ok_or(failure)?;
            return Ok(Found::Stored(self.learn(old)));
        }
        self.forget(url);
        Err(failure)
    }

    pub(super) fn count_failure(&self, url: &str, failure: &Failure) {
        self.metrics.add("voxel_origin_errors_total", 1);
        let fields = [("url", Value::from(url)), ("error", Value::from(failure.to_string()))];
        log::warning("origin failed", &fields);
    }

    /// A block that is not stored, fetched once for all who want it, and even if nobody waits for it.
    pub(super) fn fetch(self: &Arc<Self>, entry: &Arc<Entry>, number: u64) -> Fetch {
        self.fetches.join(&self.runtime, &block_name(&entry.url, &entry.version, number), || {
            let (edge, entry) = (Arc::clone(self), Arc::clone(entry));
            async move { edge.fetch_once(&entry, number).await }
        })
    }

    async fn fetch_once(self: &Arc<Self>, entry: &Arc<Entry>, number: u64) -> Result<Bytes, Failure> {
        let (edge, name) = (Arc::clone(self), block_name(&entry.url, &entry.version, number));
        // Another may have fetched it between the look of who wants it and here.
        if let Ok(Some(bytes)) = task::spawn_blocking(move || edge.store.read(&name)).await {
            return Ok(bytes);
        }
        self.metrics.add("voxel_cache_misses_total", 1);
        let fetched = twice(|| self.fetch_block(entry, number)).await;
        if let Err(failure) = &fetched {
            self.count_failure(&entry.url, failure);
            let is_known = || self.known(&entry.url).is_some_and(|known| known.version == entry.version);
            if !failure.is_of_the_origin() && is_known() {
                self.learn(entry.expired());
            }
        }
        fetched
    }

    async fn fetch_block(self: &Arc<Self>, entry: &Entry, number: u64) -> Result<Bytes, Failure> {
        let Entry { url, version, .. } = entry;
        let start = number * BLOCK_BYTES;
        let asked = ByteRange { start, end: version.size.min(start + BLOCK_BYTES) };
        let response = self.upstream.get(url, Some(asked), version.if_same()).await?;
        match interpret(&response.head, asked, url)? {
            Answer::Part { size, .. } if version.is_of(&response.head.headers, size) => {
                let (bytes, permit) = self.upstream.read(response, Some(asked.len()), BLOCK_BYTES).await?;
                self.keep(blocks(url, version, number, &bytes), permit);
                Ok(bytes)
            }
            Answer::Whole { size } if version.is_of(&response.head.headers, size.unwrap_or(version.size)) => {
                if version.size > MOST_WHOLE_BYTES {
                    return Err(without_parts());
                }
                let (bytes, permit) = self.upstream.read(response, Some(version.size), MOST_WHOLE_BYTES).await?;
                self.keep(blocks(url, version, 0, &bytes), permit);
                Ok(bytes.slice(asked.start as usize..asked.end as usize))
            }
            _ => Err(Failure::Changed),
        }
    }

    /// Stores files, which can be read at once. The permit is given back when they are on disk.
    fn keep(self: &Arc<Self>, files: Vec<(String, Bytes)>, permit: OwnedSemaphorePermit) {
        let names: Vec<_> = files.iter().map(|(name, _)| name.clone()).collect();
        for (name, bytes) in files {
            self.store.put(&name, bytes);
        }
        self.metrics.set("voxel_cache_bytes", self.store.bytes() as i64);
        let edge = Arc::clone(self);
        task::spawn_blocking(move || {
            for name in names {
                edge.store.write(&name);
            }
            drop(permit);
        });
    }
}

/// What the origin gives, which is asked once more if the connection failed.
async fn twice<T, F: Future<Output = Result<T, Failure>>>(ask: impl Fn() -> F) -> F::Output {
    match ask().await {
        Err(Failure::Broken(_)) => {
            tokio::time::sleep(PAUSE).await;
            ask().await
        }
        given => given,
    }
}

fn without_parts() -> Failure {
    let mebibytes = MOST_WHOLE_BYTES / 1024 / 1024;
    Failure::Bad(format!("the origin sends no parts of files, and this one has more than {mebibytes} MiB"))
}

fn not_to_be_stored() -> Failure {
    let kibibytes = BLOCK_BYTES / 1024;
    Failure::Bad(format!("the origin forbids to store the file (cache-control), and it has more than {kibibytes} KiB"))
}

fn block_name(url: &str, version: &Version, number: u64) -> String {
    format!("{}-{number}", version.name(url))
}

/// Bytes from the start of block `first` on, by name.
fn blocks(url: &str, version: &Version, first: u64, bytes: &Bytes) -> Vec<(String, Bytes)> {
    let parts = (0..bytes.len()).step_by(BLOCK_BYTES as usize);
    let part = |start: usize| bytes.slice(start..bytes.len().min(start + BLOCK_BYTES as usize));
    (first..).zip(parts).map(|(number, start)| (block_name(url, version, number), part(start))).collect()
}
