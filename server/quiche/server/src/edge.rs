//! Files of an HTTP origin, kept in blocks on disk (docs: `server/quiche/README.md`, "In front of an origin").
//!
//! [`Edge::open`] finds out what there is at an address, as far as that is not known and fresh ([`entry`]). Responses read
//! blocks ([`cached`]); one that is missing is fetched once, whoever waits for it ([`flights`]), and stored ([`store`]).

mod address;
mod answer;
mod cached;
pub mod client;
mod clients;
mod credit;
mod entry;
mod failure;
mod fetching;
mod flights;
mod folders;
mod growing;
mod grown;
mod mirror;
mod names;
mod parts;
mod passed;
mod sealed;
mod store;
mod tail;
mod upstream;
mod version;

use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use lru::LruCache;
use tokio::runtime::Handle;
use voxel_protocol::error::HttpError;
use voxel_protocol::path;
use voxel_protocol::site::FileFacts;

use crate::body::Content;
use crate::configuration_error::ConfigurationError;
use crate::files::{INDEX, MediaFile, content_type};
use crate::metrics::Metrics;
use crate::open_error::OpenError;
pub use address::Address;
use cached::Cached;
use clients::Client;
pub use clients::Clients;
use entry::Entry;
use failure::Failure;
use fetching::first_of;
use flights::{Flights, landed};
use growing::{Beside, Growing, growing_file};
use passed::Passed;
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
    clients: Clients,
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
        clients: Clients,
        metrics: Arc<Metrics>,
    ) -> Result<Arc<Self>, ConfigurationError> {
        let store = Store::open(folder, bound)?;
        metrics.set("voxel_cache_bytes", store.bytes() as i64);
        let upstream = Upstream::new(patience, Arc::clone(&metrics))?;
        let known = Mutex::new(LruCache::new(ENTRIES));
        let (checks, fetches, growing, runtime) =
            (Arc::default(), Arc::default(), Growing::default(), Handle::current());
        Ok(Arc::new(Self { address, upstream, clients, store, known, checks, fetches, growing, runtime, metrics }))
    }

    /// The file of a request path (without query; percent-encoded), for the client at an address. Asks the origin unless
    /// it is known what there is. `follows`: whether it is asked for as one that may grow.
    pub async fn open(self: &Arc<Self>, path: &str, client: IpAddr, follows: bool) -> Result<MediaFile, OpenError> {
        let mut segments = path::decode(path)?;
        if let Some(last) = segments.last_mut().filter(|last| last.is_empty()) {
            INDEX.as_bytes().clone_into(last);
        }
        let url = self.address.of(&segments).ok_or_else(HttpError::not_found)?;
        let client = self.clients.of(client);
        let refused = |failure: Failure| failure.into_open_error(path);
        let beside = self.beside(&url, follows, &client).await.map_err(refused)?;
        if let Beside::Grows(mirror) = beside {
            return Ok(growing_file(mirror).await);
        }
        let found = match self.find_whole(&url, &beside, &client).await {
            Err(Failure::Growing) => match self.look(&url, &client).await.map_err(refused)? {
                Beside::Grows(mirror) => return Ok(growing_file(mirror).await),
                _ => return Err(refused(Failure::Growing)),
            },
            found => found.map_err(refused)?,
        };
        let live = self.live(&found, &beside, &client);
        let (version, content): (_, Box<dyn Content>) = match found {
            Found::Stored(entry) => (entry.version.clone(), Box::new(Cached::new(Arc::clone(self), entry, client))),
            Found::Passed(version, bytes) => {
                client.reads(bytes.len() as u64);
                let memory = client.memory(bytes.len()).map_err(refused)?;
                ((*version).clone(), Box::new(Passed::new(bytes, memory)))
            }
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

    async fn find(self: &Arc<Self>, url: &str, client: &Arc<Client>) -> Result<Found, Failure> {
        if let Some(entry) = self.known(url).filter(|entry| entry.is_fresh(SystemTime::now())) {
            return Ok(Found::Stored(entry));
        }
        if let Some(check) = self.checks.under_way(&first_of(url, client).1) {
            return landed(check).await.unwrap_or_else(broken);
        }
        let request = self.request(client).await?;
        let (first, key) = first_of(url, client);
        let check = self.checks.join(&self.runtime, &key, || {
            let (edge, url, client) = (Arc::clone(self), url.to_owned(), Arc::clone(client));
            async move {
                let _request = request;
                edge.check(&url, first, &client).await
            }
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

    /// Forgets a file that must not be stored, with its blocks.
    fn delete(&self, url: &str, version: &Version) {
        if self.known(url).is_none() && !self.store.holds(&entry_name(url)) {
            return;
        }
        self.forget(url);
        self.store.remove_all(&version.name(url));
    }
}

/// The result of work that has panicked.
fn broken<T>() -> Result<T, Failure> {
    Err(Failure::Down("the edge failed".to_owned()))
}

fn entry_name(url: &str) -> String {
    format!("{}.json", digest(&[url]))
}
