//! Files that grow at the origin: which do, and one [`Mirror`] of each.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use bytes::Bytes;
use http::HeaderValue;
use serde_json::Value;
use voxel_protocol::ranges::ByteRange;
use voxel_protocol::site::{FileFacts, Piece};
use voxel_protocol::vxl::{MAX_FILE_BYTES, SUFFIX, VxlReader};

use super::cached::Cached;
use super::clients::Client;
use super::entry::Entry;
use super::failure::Failure;
use super::flights::{Flights, landed};
use super::folders::Folders;
use super::mirror::Mirror;
use super::{Edge, Found, broken};
use crate::body::{Body, Content, Media};
use crate::files::{MediaFile, content_type};
use crate::growing::{Live, Records, Watched};
use crate::log;

/// Files that may grow at a time. A live presentation of ten representations has ten, and as many that are about to.
const MIRRORS: usize = 256;

/// The same of one client.
const MIRRORS_OF_CLIENT: usize = 64;

/// The client that reads what all have followed.
const ITSELF: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// What stands beside a file.
#[derive(Clone, Debug)]
pub enum Beside {
    /// Records without their end.
    Grows(Arc<Mirror>),
    /// All records.
    Records(Bytes),
    /// No records.
    Nothing,
    /// It was not looked for.
    Unknown,
}

/// A file that grows, and the client that asked for it first.
#[derive(Debug)]
struct Mirrored {
    mirror: Arc<Mirror>,
    client: Arc<Client>,
}

#[derive(Debug, Default)]
pub struct Growing {
    mirrors: Mutex<HashMap<String, Mirrored>>,
    folders: Folders,
    looks: Arc<Flights<Result<Beside, Failure>>>,
    bytes_of_all: Arc<AtomicU64>,
}

impl Growing {
    fn mirrors(&self) -> MutexGuard<'_, HashMap<String, Mirrored>> {
        self.mirrors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, url: &str) -> Option<Arc<Mirror>> {
        self.mirrors().get(url).map(|mirrored| Arc::clone(&mirrored.mirror))
    }
}

impl Edge {
    /// What stands beside a file, if it may grow. `follows`: whether it is asked for as one that does.
    pub(super) async fn beside(
        self: &Arc<Self>,
        url: &str,
        follows: bool,
        client: &Arc<Client>,
    ) -> Result<Beside, Failure> {
        if let Some(mirror) = self.mirror(url).await {
            return Ok(Beside::Grows(mirror));
        }
        let is_known = || self.known(url).is_some_and(|entry| entry.is_fresh(SystemTime::now()));
        if !follows && (!self.growing.folders.may_grow(url, Instant::now()) || is_known()) {
            return Ok(Beside::Unknown);
        }
        self.look(url, client).await
    }

    /// The mirror of a file that grows, if it has records: one without them is about to fail, and another look says why.
    async fn mirror(&self, url: &str) -> Option<Arc<Mirror>> {
        let mirror = self.growing.get(url)?;
        mirror.has_records().await.then_some(mirror)
    }

    /// Looks for records, once for all requests of a client: none waits until another client has fewer requests than its
    /// share.
    pub(super) async fn look(self: &Arc<Self>, url: &str, client: &Arc<Client>) -> Result<Beside, Failure> {
        let look = self.growing.looks.join(&self.runtime, &format!("{url} {:p}", Arc::as_ptr(client)), || {
            let (edge, url, client) = (Arc::clone(self), url.to_owned(), Arc::clone(client));
            async move { edge.look_once(&url, &client).await }
        });
        landed(look).await.unwrap_or_else(broken)
    }

    async fn look_once(self: &Arc<Self>, url: &str, client: &Arc<Client>) -> Result<Beside, Failure> {
        if let Some(mirror) = self.mirror(url).await {
            return Ok(Beside::Grows(mirror));
        }
        let (records, etag) = match self.find(&records_url(url), client).await {
            Ok(found) => self.read(found, client).await?,
            // The origin streams them.
            Err(Failure::Growing) => {
                let mirror = self.begin(url, (&[], None), client)?;
                return Ok(if mirror.has_records().await { Beside::Grows(mirror) } else { Beside::Nothing });
            }
            Err(Failure::NotFound | Failure::Folder) => return Ok(Beside::Nothing),
            Err(failure) => return Err(failure),
        };
        let mut reader = VxlReader::default();
        match reader.feed(&records) {
            Err(_) => Ok(Beside::Nothing),
            Ok(_) if reader.ended() => {
                self.growing.folders.learn(url, true, Instant::now());
                Ok(Beside::Records(records))
            }
            Ok(_) => {
                self.growing.folders.learn(url, true, Instant::now());
                self.begin(url, (&records, etag), client).map(Beside::Grows)
            }
        }
    }

    /// The content of what was found, and its validator at the origin. What is too long for records is cut.
    async fn read(
        self: &Arc<Self>,
        found: Found,
        client: &Arc<Client>,
    ) -> Result<(Bytes, Option<HeaderValue>), Failure> {
        let (content, version): (Box<dyn Content>, _) = match found {
            Found::Passed(version, bytes) => (Box::new(bytes), (*version).clone()),
            Found::Stored(entry) => {
                let cached = Cached::new(Arc::clone(self), Arc::clone(&entry), Arc::clone(client));
                (Box::new(cached), entry.version.clone())
            }
        };
        let size = version.size.min(MAX_FILE_BYTES as u64 + 1);
        let mut body = Body::new([Piece::Range(ByteRange { start: 0, end: size })], content);
        let room = body.room(size as usize);
        let bytes = body.read(room).await.map_err(|error| Failure::Bad(error.to_string()))?;
        Ok((bytes, version.etag()))
    }

    /// Begins to fetch a file that grows.
    fn begin(
        self: &Arc<Self>,
        url: &str,
        (records, etag): (&[u8], Option<HeaderValue>),
        client: &Arc<Client>,
    ) -> Result<Arc<Mirror>, Failure> {
        let mut mirrors = self.growing.mirrors();
        if let Some(Mirrored { mirror, .. }) = mirrors.get(url) {
            return Ok(Arc::clone(mirror));
        }
        if mirrors.values().filter(|other| Arc::ptr_eq(&other.client, client)).count() >= MIRRORS_OF_CLIENT {
            return Err(Failure::Busy("too many files that grow".to_owned()));
        }
        if mirrors.len() >= MIRRORS {
            return Err(Failure::Bad("too many files grow at the origin".to_owned()));
        }
        let mirror = Mirror::new(url, records, &self.growing.bytes_of_all, &self.metrics)?;
        let (client, begun) = (Arc::clone(client), Arc::clone(&mirror));
        mirrors.insert(url.to_owned(), Mirrored { mirror: begun, client });
        drop(mirrors);
        log::info("origin followed", &[("url", Value::from(url))]);
        let (edge, growing) = (Arc::clone(self), Arc::clone(&mirror));
        self.runtime.spawn(async move {
            let ended = growing.run(&edge.upstream, &records_url(&growing.url), etag).await;
            if let Err(failure) = &ended {
                growing.fail();
                edge.count_failure(&growing.url, failure);
            } else if let Err(failure) = edge.keep_mirrored(&growing).await {
                edge.count_failure(&growing.url, &failure);
            }
            edge.growing.mirrors().remove(&growing.url);
        });
        Ok(mirror)
    }

    /// Makes an ordinary file of one that is whole, without asking for its bytes again.
    async fn keep_mirrored(self: &Arc<Self>, mirror: &Mirror) -> Result<(), Failure> {
        let (media, records) = mirror.content();
        self.keep_whole(&records_url(&mirror.url), &records).await?;
        if let Some(entry) = self.keep_whole(&mirror.url, &media).await? {
            let client = self.clients.of(ITSELF);
            mirror.keep(Arc::new(Kept { edge: Arc::clone(self), entry, client }));
        }
        Ok(())
    }

    /// What a file that is there and does not grow is followed by, if it has all its records.
    pub(super) fn live(self: &Arc<Self>, found: &Found, beside: &Beside, client: &Arc<Client>) -> Option<Live> {
        let Beside::Records(records) = beside else { return None };
        let mut reader = VxlReader::default();
        let known = reader.feed(records).ok()?;
        let media: Arc<dyn Media> = match found {
            Found::Stored(entry) => {
                let (edge, entry, client) = (Arc::clone(self), Arc::clone(entry), Arc::clone(client));
                Arc::new(Kept { edge, entry, client })
            }
            Found::Passed(_, bytes) => Arc::new(bytes.clone()),
        };
        Some(Live { records: Records::Watched(Watched::new(None, reader, known, &self.metrics)), media })
    }

    /// A file that does not grow.
    pub(super) async fn find_whole(
        self: &Arc<Self>,
        url: &str,
        beside: &Beside,
        client: &Arc<Client>,
    ) -> Result<Found, Failure> {
        let found = self.find(url, client).await?;
        let now = Instant::now();
        match (&found, beside) {
            (Found::Stored(entry), Beside::Records(records)) if entry.version.size < media_bytes(records) => {
                // It was stored while it grew, and is fresh.
                self.learn(entry.expired());
                return self.find(url, client).await;
            }
            (_, Beside::Nothing) if self.growing.folders.may_grow(url, now) => {
                self.growing.folders.learn(url, false, now);
            }
            _ => {}
        }
        Ok(found)
    }
}

/// The file that grows, as responses read it.
pub async fn growing_file(mirror: Arc<Mirror>) -> MediaFile {
    mirror.used().await;
    let facts = FileFacts {
        size: mirror.watched.available(),
        modified: SystemTime::now(),
        validator: None,
        content_type: content_type(Path::new(&mirror.url)),
        grows: true,
    };
    let live = Live { records: Records::Watched(Arc::clone(&mirror.watched)), media: Arc::clone(&mirror) as _ };
    MediaFile { content: Media::content(mirror), facts, live: Some(live) }
}

/// Bytes of the media that records name.
fn media_bytes(records: &[u8]) -> u64 {
    let mut reader = VxlReader::default();
    reader.feed(records).map_or(0, |_| reader.available())
}

fn records_url(url: &str) -> String {
    format!("{url}{SUFFIX}")
}

/// A file that was stored.
#[derive(Debug)]
struct Kept {
    edge: Arc<Edge>,
    entry: Arc<Entry>,
    client: Arc<Client>,
}

impl Media for Kept {
    fn content(self: Arc<Self>) -> Box<dyn Content> {
        Box::new(Cached::new(Arc::clone(&self.edge), Arc::clone(&self.entry), Arc::clone(&self.client)))
    }
}
