//! What is asked of the origin, and what becomes of its answers.

mod whole;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task;
use voxel_protocol::ranges::ByteRange;

use super::answer::{Answer, interpret};
use super::clients::Client;
use super::entry::Entry;
use super::failure::Failure;
use super::upstream::Response;
use super::version::Version;
use super::{BLOCK_BYTES, Edge, Found, entry_name};
use crate::log;

/// An origin that sends no parts has to send all of a file at a time, which is kept in memory meanwhile.
pub const MOST_WHOLE_BYTES: u64 = 32 * 1024 * 1024;

/// Pause before a request whose connection failed is sent once more.
const PAUSE: Duration = Duration::from_millis(100);

const FIRST_BLOCK: ByteRange = ByteRange { start: 0, end: BLOCK_BYTES };

/// What is asked for first on behalf of a client without credit: next to nothing, but all of many small files.
const GLIMPSE: ByteRange = ByteRange { start: 0, end: 4096 };

/// What is asked for first for a client, and the key of the flight.
pub fn first_of(url: &str, client: &Client) -> (ByteRange, String) {
    if client.has_credit() { (FIRST_BLOCK, url.to_owned()) } else { (GLIMPSE, format!("{url} glimpse")) }
}

impl Edge {
    /// Asks the origin what there is at an address, and for its `first` bytes if that is not known.
    pub(super) async fn check(
        self: &Arc<Self>,
        url: &str,
        first: ByteRange,
        client: &Client,
    ) -> Result<Found, Failure> {
        let old = self.known_or_stored(url).await;
        if let Some(entry) = old.as_ref().filter(|entry| entry.is_fresh(SystemTime::now())) {
            return Ok(Found::Stored(Arc::clone(entry)));
        }
        match twice(|| self.ask(url, old.as_deref(), (first, client))).await {
            Err(Failure::Changed) => {
                self.forget(url);
                let answer = twice(|| self.ask(url, None, (first, client))).await;
                answer.or_else(|failure| self.without_the_origin(url, None, failure))
            }
            answer => answer.or_else(|failure| self.without_the_origin(url, old, failure)),
        }
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

    async fn ask(
        self: &Arc<Self>,
        url: &str,
        old: Option<&Entry>,
        (first, client): (ByteRange, &Client),
    ) -> Result<Found, Failure> {
        let conditions = old.map(|old| old.version.unless_same()).unwrap_or_default();
        if old.is_some() {
            self.metrics.add("voxel_origin_revalidations_total", 1);
        }
        let response = self.upstream.get(url, Some(first), conditions).await?;
        let has_credit = first == FIRST_BLOCK;
        match (interpret(&response.head, first, url)?, old) {
            (Answer::NotModified, Some(old)) => {
                let Some(entry) = old.revalidated(&response.head, SystemTime::now()) else {
                    self.delete(url, &old.version);
                    return Err(Failure::Changed);
                };
                Ok(Found::Stored(self.learn(entry)))
            }
            (Answer::Part { range, size }, _) if !has_credit && range.len() < size => {
                client.costs(range.len());
                self.glimpse(url, size, response)
            }
            (Answer::Whole { size }, _) if !has_credit && size.is_none_or(|size| size > GLIMPSE.end) => {
                Err(too_little())
            }
            (Answer::Part { range, size }, _) if range.len() < size && !is_strong(&response) => {
                // Parts of it cannot be joined, so that it has to come at once.
                drop(response);
                self.ask_for_all(url, client).await
            }
            (Answer::Part { range, size }, _) => {
                self.take(url, (Some(size), Some(range.len())), response, client).await
            }
            (Answer::Whole { size }, _) => self.take(url, (size, size), response, client).await,
            // An empty file has no first block.
            (Answer::OutOfRange, _) => {
                // With its permit: requests that each held one and waited for another would all wait forever.
                drop(response);
                self.ask_for_all(url, client).await
            }
            (Answer::NotModified, None) => Err(Failure::Bad("the origin answered 304 without a reason".to_owned())),
        }
    }

    async fn ask_for_all(self: &Arc<Self>, url: &str, client: &Client) -> Result<Found, Failure> {
        let response = self.upstream.get(url, None, Vec::new()).await?;
        match interpret(&response.head, FIRST_BLOCK, url)? {
            Answer::Whole { size } => self.take(url, (size, size), response, client).await,
            _ => Err(Failure::Bad("the origin answered 416 and then no file".to_owned())),
        }
    }

    /// Reads and stores the answer to a request for the first block. `size`: of the file, and `length`: of the answer's
    /// body, if that is known.
    async fn take(
        self: &Arc<Self>,
        url: &str,
        (size, length): (Option<u64>, Option<u64>),
        response: Response,
        client: &Client,
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
        if !may_be_stored {
            self.delete(url, &version);
            if version.size > BLOCK_BYTES {
                return Err(not_to_be_stored());
            }
        }
        // What may not be stored stays in memory as long as clients read it, each time it is asked for.
        let most = if may_be_stored { MOST_WHOLE_BYTES } else { BLOCK_BYTES };
        let (bytes, permit) = self.upstream.read(response, length, most).await?;
        client.costs(bytes.len() as u64);
        if length.is_none() {
            version.size = bytes.len() as u64;
        }
        let Some(entry) = Entry::new(url, version.clone(), &head, SystemTime::now()) else {
            return Ok(Found::Passed(Arc::new(version), bytes));
        };
        let mut files = blocks(url, &version, 0, &bytes);
        files.push((entry_name(url), json(&entry)?));
        self.keep(files, permit);
        Ok(Found::Stored(self.learn(entry)))
    }

    /// Stores what an answer says of a file, and nothing of the file.
    fn glimpse(self: &Arc<Self>, url: &str, size: u64, response: Response) -> Result<Found, Failure> {
        let version = Version::new(&response.head.headers, size, SystemTime::now());
        let entry = Entry::new(url, version, &response.head, SystemTime::now());
        let entry = entry.filter(|entry| entry.version.is_strong()).ok_or_else(too_little)?;
        self.keep(vec![(entry_name(url), json(&entry)?)], response.permit);
        Ok(Found::Stored(self.learn(entry)))
    }

    /// There is no answer that could be used: what was known may do, or is not to be used any longer.
    fn without_the_origin(&self, url: &str, old: Option<Arc<Entry>>, failure: Failure) -> Result<Found, Failure> {
        if !matches!(failure, Failure::NotFound | Failure::Folder | Failure::Growing) {
            self.count_failure(url, &failure);
        }
        if failure.withdraws() {
            self.forget(url);
        }
        let old = old.filter(|_| failure.is_silence()).and_then(|old| old.without_the_origin(SystemTime::now()));
        Ok(Found::Stored(self.learn(old.ok_or(failure)?)))
    }

    pub(super) fn count_failure(&self, url: &str, failure: &Failure) {
        self.metrics.add("voxel_origin_errors_total", 1);
        let fields = [("url", Value::from(url)), ("error", Value::from(failure.to_string()))];
        log::warning("origin failed", &fields);
    }

    /// Stores files, which can be read at once. The permit is given back when they are on disk.
    pub(super) fn keep(self: &Arc<Self>, files: Vec<(String, Bytes)>, permit: OwnedSemaphorePermit) {
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
pub async fn twice<T, F: Future<Output = Result<T, Failure>>>(ask: impl Fn() -> F) -> F::Output {
    match ask().await {
        Err(Failure::Broken(_)) => {
            tokio::time::sleep(PAUSE).await;
            ask().await
        }
        given => given,
    }
}

fn is_strong(response: &Response) -> bool {
    Version::new(&response.head.headers, 0, SystemTime::now()).is_strong()
}

fn json(entry: &Entry) -> Result<Bytes, Failure> {
    serde_json::to_vec(entry).map(Bytes::from).map_err(|error| Failure::Bad(error.to_string()))
}

/// A client without credit would have the edge fetch much more than what it asks for.
pub fn too_little() -> Failure {
    Failure::Busy("too little was read of what was fetched".to_owned())
}

pub fn without_parts() -> Failure {
    let mebibytes = MOST_WHOLE_BYTES / 1024 / 1024;
    Failure::Bad(format!(
        "the origin sends no parts of files that can be joined, and this one has more than {mebibytes} MiB"
    ))
}

fn not_to_be_stored() -> Failure {
    let kibibytes = BLOCK_BYTES / 1024;
    Failure::Bad(format!("the origin forbids to store the file (cache-control), and it has more than {kibibytes} KiB"))
}

pub fn block_name(url: &str, version: &Version, number: u64) -> String {
    format!("{}-{number}", version.name(url))
}

/// Bytes from the start of block `first` on, by name.
pub fn blocks(url: &str, version: &Version, first: u64, bytes: &Bytes) -> Vec<(String, Bytes)> {
    let parts = (0..bytes.len()).step_by(BLOCK_BYTES as usize);
    let part = |start: usize| bytes.slice(start..bytes.len().min(start + BLOCK_BYTES as usize));
    (first..).zip(parts).map(|(number, start)| (block_name(url, version, number), part(start))).collect()
}
