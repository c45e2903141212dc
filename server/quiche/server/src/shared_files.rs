//! Files open for responses: one descriptor each, however many responses read it.

use std::collections::{HashMap, VecDeque};
use std::fs::{File, Metadata};
use std::future::ready;
use std::io::{self, IoSliceMut};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rustix::io::{ReadWriteFlags, preadv2};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use voxel_protocol::site::Piece;

use crate::body::{Content, Later, Media, Part, shorter};

/// Device and inode, which no other file has while this one is open.
pub type Identity = (u64, u64);

/// An open file, and the permit for its descriptor, which is given back when the last response has read it.
#[derive(Debug)]
pub struct SharedFile {
    pub file: File,
    pub identity: Identity,
    _permit: OwnedSemaphorePermit,
}

impl Content for Arc<SharedFile> {
    /// What the page cache has, as of every file that somebody has just read or written. Not every file system can say.
    fn read_now(&mut self, Part { position, place }: Part) -> bool {
        let length = place.len();
        let read = preadv2(&self.file, &mut [IoSliceMut::new(place)], position, ReadWriteFlags::NOWAIT);
        read.is_ok_and(|count| count == length)
    }

    fn read<'a>(&'a mut self, parts: Vec<Part<'a>>, _next: &'a VecDeque<Piece>) -> Later<'a, io::Result<()>> {
        let read = parts.into_iter().try_for_each(|part| self.file.read_exact_at(part.place, part.position));
        let is_short = |error: &io::Error| error.kind() == io::ErrorKind::UnexpectedEof;
        Box::pin(ready(read.map_err(|error| if is_short(&error) { shorter() } else { error })))
    }
}

impl Media for SharedFile {
    fn content(self: Arc<Self>) -> Box<dyn Content> {
        Box::new(self)
    }
}

#[derive(Debug)]
pub struct SharedFiles {
    permits: Arc<Semaphore>,
    /// Files that are open, and those that were when the last one was opened.
    open: Mutex<HashMap<Identity, Weak<SharedFile>>>,
}

impl SharedFiles {
    /// `most`: files open at a time.
    pub fn new(most: usize) -> Self {
        let permits = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        Self { permits, open: Mutex::default() }
    }

    /// The file, if a response reads it already.
    pub fn get(&self, metadata: &Metadata) -> Option<Arc<SharedFile>> {
        self.open().get(&identity(metadata))?.upgrade()
    }

    /// A permit to open another file, if one is left.
    pub fn permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_owned().ok()
    }

    /// Shares an open file: from here on others can read it, too.
    pub fn share(&self, file: File, metadata: &Metadata, permit: OwnedSemaphorePermit) -> Arc<SharedFile> {
        let identity = identity(metadata);
        let shared = Arc::new(SharedFile { file, identity, _permit: permit });
        let mut open = self.open();
        open.retain(|_, file| file.strong_count() > 0);
        open.insert(identity, Arc::downgrade(&shared));
        shared
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Identity, Weak<SharedFile>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}
