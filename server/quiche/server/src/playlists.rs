//! Playlists that requests wait for: one watcher looks at a file for all of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};
use voxel_protocol::error::{HttpError, Status};
use voxel_protocol::path;
use voxel_protocol::playlist::{Directives, MAX_BYTES, Playlist};
use voxel_protocol::ranges::ByteRange;
use voxel_protocol::site::{FileFacts, Piece};

use crate::body::Body;
use crate::files::content_type;
use crate::open_error::OpenError;
use crate::sources::Sources;

const CONTENT_TYPE: &str = "application/vnd.apple.mpegurl";

/// Interval at which a playlist in a folder is looked at.
const POLL: Duration = Duration::from_millis(10);

/// Interval at which an origin is asked for one: a quarter of a chunk of four frames at 25 frames/s.
const ORIGIN_POLL: Duration = Duration::from_millis(40);

/// Whether the file of a request path is a playlist by its name.
pub fn is_playlist(path: &str) -> bool {
    content_type(Path::new(path)) == CONTENT_TYPE
}

/// A playlist at some time.
#[derive(Debug)]
pub struct State {
    /// `None`: it is a file as any other, or has ended.
    pub playlist: Option<Playlist>,
    pub data: Bytes,
    pub facts: FileFacts,
}

/// What there is at a path.
#[derive(Debug)]
pub enum Found {
    Playlist(Arc<State>),
    /// A file that is none.
    Other,
}

/// The newest state of a playlist that somebody waits for, or why there is none; `None`: it has not been looked at.
type Latest = Option<Result<Arc<State>, HttpError>>;

/// A playlist that somebody waits for.
type Watched = watch::Sender<Latest>;

/// The playlists that somebody waits for, and those that somebody waited for when the last one began.
#[derive(Debug)]
pub struct Playlists {
    /// Watchers by the path as it is decoded: a client may write one path in many ways.
    all: Mutex<HashMap<Vec<Vec<u8>>, Weak<Watched>>>,
    /// The runtime that looks at the files.
    runtime: Handle,
    sources: Sources,
}

impl Playlists {
    /// No watcher yet. Must be called in the runtime that is to look at the files.
    pub fn new(sources: Sources) -> Self {
        Self { all: Mutex::default(), runtime: Handle::current(), sources }
    }

    /// What there is at a request path.
    pub async fn read(&self, path: &str, client: IpAddr) -> Result<Found, OpenError> {
        read(&self.sources, path, client, None).await.map(|found| found.expect("no state is known"))
    }

    /// The playlist once it has what is wanted; at once where it need not be waited for. A 400 for what is too far ahead, a
    /// 503 where it does not come.
    pub async fn wait(
        &self,
        (path, client): (&str, IpAddr),
        state: Arc<State>,
        wanted: &Directives,
        draining: &AtomicBool,
    ) -> Result<Arc<State>, HttpError> {
        let Some(playlist) = state.playlist.as_ref().filter(|playlist| !playlist.has(wanted)) else {
            return Ok(state);
        };
        playlist.check(wanted)?;
        let deadline = Instant::now() + Duration::from_secs(playlist.patience());
        let watched = self.watch(path, client)?;
        let mut latest = watched.subscribe();
        loop {
            let seen = latest.borrow_and_update().clone();
            match seen {
                Some(Ok(state)) if state.playlist.as_ref().is_none_or(|it| it.has(wanted)) => return Ok(state),
                Some(Err(error)) => return Err(error),
                _ if draining.load(Ordering::Relaxed) => return Err(HttpError::stopping()),
                _ => {}
            }
            if timeout_at(deadline, latest.changed()).await.is_err() {
                return Err(HttpError::new(Status::ServiceUnavailable, "the playlist does not grow"));
            }
        }
    }

    fn watch(&self, path: &str, client: IpAddr) -> Result<Arc<Watched>, HttpError> {
        let key = path::decode(path)?;
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watched) = all.get(&key).and_then(Weak::upgrade) {
            return Ok(watched);
        }
        let watched = Arc::new(watch::Sender::default());
        all.retain(|_, watched| watched.strong_count() > 0);
        all.insert(key, Arc::downgrade(&watched));
        self.runtime.spawn(poll(self.sources.clone(), path.to_owned(), client, Arc::downgrade(&watched)));
        Ok(watched)
    }
}

/// Looks at a playlist for as long as somebody waits for it.
async fn poll(sources: Sources, path: String, client: IpAddr, watched: Weak<Watched>) {
    let pause = if sources.edge_of(&path).is_some() { ORIGIN_POLL } else { POLL };
    let mut known = None;
    loop {
        let found = read(&sources, &path, client, known.as_deref()).await;
        let Some(watched) = watched.upgrade() else { return };
        let now = match found {
            Ok(None) => None,
            Ok(Some(Found::Playlist(state))) => Some(Ok(state)),
            Ok(Some(Found::Other)) => Some(Err(HttpError::not_found())),
            Err(error) => Some(Err(error.into())),
        };
        if let Some(now) = now {
            known = now.as_ref().ok().map(|state| state.facts.etag());
            watched.send_replace(Some(now));
        }
        drop(watched);
        sleep(pause).await;
    }
}

/// What there is at a path; `None`: what has the validator `known`. What an encoder has just written is in memory: it does
/// not block.
async fn read(sources: &Sources, path: &str, client: IpAddr, known: Option<&str>) -> Result<Option<Found>, OpenError> {
    let mut is_first_try = true;
    loop {
        let media = sources.open(path, client, false).await?;
        if media.facts.grows || media.facts.size > MAX_BYTES || media.facts.content_type != CONTENT_TYPE {
            return Ok(Some(Found::Other));
        }
        let facts = media.facts;
        if known.is_some_and(|known| known == facts.etag()) {
            return Ok(None);
        }
        let mut body = Body::new([Piece::Range(ByteRange { start: 0, end: facts.size })], media.content);
        match body.begin().await {
            Err(OpenError::Changed(_)) if is_first_try => {
                is_first_try = false;
                continue;
            }
            begun => begun?,
        }
        let room = body.room(facts.size as usize);
        let data = body.read(room).await.map_err(|_| HttpError::unreadable())?;
        return Ok(Some(Found::Playlist(Arc::new(State { playlist: Playlist::read(&data), data, facts }))));
    }
}
