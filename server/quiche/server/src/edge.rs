//! Files of an HTTP origin, kept in blocks on disk (docs: `server/quiche/README.md`, "In front of an origin").
//!
//! [`Edge::open`] finds out what there is at an address, as far as that is not known and fresh ([`entry`]). Responses read
//! blocks ([`cached`]); one that is missing is fetched once, whoever waits for it ([`flights`]), and stored ([`store`]).

mod address;
mod answer;
mod cached;
mod entry;
mod failure;
mod fetching;
mod flights;
mod folders;
mod growing;
mod grown;
mod mirror;
mod names;
mod store;
mod tail;
mod upstream;
mod version;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use lru::LruCache;
use tokio::runtime::Handle;
use voxel_protocol::path;
use voxel_protocol::site::FileFacts;

use crate::body::Content;
use crate::configuration_error::ConfigurationError;
use crate::files::{INDEX, MediaFile, content_type};
use crate::metrics::Metrics;
use crate::open_error::OpenError;
pub use address::Address;
use cached::Cached;
use entry::Entry;
use failure::Failure;
use flights::{Flights, landed};
use growing::{Beside, Growing, growing_file};
use store::Store;
use upstream::Upstream;
use version::{Version, digest};

/// What is fetched and stored at a time. A second of video has between 40 and 1000 KiB.
pub const BLOCK_BYTES: u64 = 512 * 1024;

/// Files of which so much is known in memory; of others the disk knows.
const ENTRIES: NonZeroUsize = NonZeroUsize::new(10_000).expect("positive");

/// The name of a cache's folder that no other origin has.
pub fn folder_name(address: &Address) -> String {
    format!("edge-{}", &digest(&[&address.to_string()])[..12])
}

/// What there is at an address.
#[derive(Clone, Debug)]
enum Found {
    Stored(Arc<Entry>),
    /// A small file that must not be stored.
    Passed(Arc<Version>, Bytes),
}

#[derive(Debug)]
pub struct Edge {
    address: Address,
    upstream: Upstream,
    pub store: Store,
    known: Mutex<LruCache<String, Arc<Entry>>>,
    checks: Arc<Flights<Result<Found, Failure>>>,
    fetches: Arc<Flights<Result<Bytes, Failure>>>,
    growing: Growing,
    /// The runtime in which requests to the origin are made: other threads than those that read files for responses.
    runtime: Handle,
    metrics: Arc<Metrics>,
}

impl Edge {
    /// An edge with its cache of at most `bound` bytes in `folder`. `patience`: time for which the origin may be silent. Must
    /// be called in the runtime that is to make the requests to the origin.
    pub fn new(
        address: Address,
        (folder, bound): (&Path, u64),
        patience: Duration,
        metrics: Arc<Metrics>,
    ) -> Result<Arc<Self>, ConfigurationError> {
        let store = Store::open(folder, bound)?;
        metrics.set("voxel_cache_bytes", store.bytes() as i64);
        let upstream = Upstream::new(patience, Arc::clone(&metrics))?;
        let known = Mutex::new(LruCache::new(ENTRIES));
        let (checks, fetches, growing, runtime) =
            (Arc::default(), Arc::default(), Growing::default(), Handle::current());
        Ok(Arc::new(Self { address, upstream, store, known, checks, fetches, growing, runtime, metrics }))
    }

    /// The file of a request path (without query; percent-encoded). Asks the origin unless it is known what there is.
    /// `follows`: whether it is asked for as one that may grow.
    pub async fn open(self: &Arc<Self>, path: &str, follows: bool) -> Result<MediaFile, OpenError> {
        let mut segments = path::decode(path)?;
        if let Some(last) = segments.last_mut().filter(|last| last.is_empty()) {
            INDEX.as_bytes().clone_into(last);
        }
        let url = self.address.of(&segments);
        let refused = |failure: Failure| failure.into_open_error(path);
        let beside = self.beside(&url, follows).await.map_err(refused)?;
        if let Beside::Grows(mirror) = beside {
            return Ok(growing_file(mirror).await);
        }
        let found = match self.find_whole(&url, &beside).await {
            Err(Failure::Growing) => match self.look(&url).await.map_err(refused)? {
                Beside::Grows(mirror) => return Ok(growing_file(mirror).await),
                _ => return Err(refused(Failure::Growing)),
            },
            found => found.map_err(refused)?,
        };
        let live = self.live(&found, &beside);
        let (version, content): (_, Box<dyn Content>) = match found {
            Found::Stored(entry) => (entry.version.clone(), Box::new(Cached::new(Arc::clone(self), entry))),
            Found::Passed(version, bytes) => ((*version).clone(), Box::new(bytes)),
        };
        let facts = FileFacts {
            size: version.size,
            modified: version.modified(),
            validator: Some(version.validator(&url)),
            content_type: content_type(Path::new(&url)),
            grows: false,
        };
        Ok(MediaFile { content, facts, live })
    }

    async fn find(self: &Arc<Self>, url: &str) -> Result<Found, Failure> {
        if let Some(entry) = self.known(url).filter(|entry| entry.is_fresh(SystemTime::now())) {
            return Ok(Found::Stored(entry));
        }
        let check = self.checks.join(&self.runtime, url, || {
            let (edge, url) = (Arc::clone(self), url.to_owned());
            async move { edge.check(&url).await }
        });
        landed(check).await.unwrap_or_else(broken)
    }

    fn known(&self, url: &str) -> Option<Arc<Entry>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(url).cloned()
    }

    fn learn(&self, entry: Entry) -> Arc<Entry> {
        let entry = Arc::new(entry);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).put(entry.url.clone(), Arc::clone(&entry));
        entry
    }

    fn forget(&self, url: &str) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).pop(url);
        self.store.remove(&entry_name(url));
    }
}

/// The result of work that has panicked.
fn broken<T>() -> Result<T, Failure> {
    Err(Failure::Bad("the edge failed".to_owned()))
}

fn entry_name(url: &str) -> String {
    format!("{}.json", digest(&[url]))
}
