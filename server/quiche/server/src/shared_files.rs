//! Files open for responses: one descriptor each, however many responses read it.

use std::collections::{HashMap, VecDeque};
use std::fs::{File, Metadata};
use std::future::ready;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use voxel_protocol::site::Piece;

use crate::body::{Content, Later, Part, shorter};
use crate::descriptors::{FilePermit, FilePermits};

/// Device and inode, which no other file has while this one is open.
pub type Identity = (u64, u64);

type OpenFiles = Arc<Mutex<HashMap<Identity, Weak<SharedFile>>>>;

/// An open file, and the permit for its descriptor, which is given back when the last response has read it.
#[derive(Debug)]
pub struct SharedFile {
    pub file: File,
    identity: Identity,
    open: OpenFiles,
    _permit: FilePermit,
}

impl SharedFile {
    pub fn identity(&self) -> Identity {
        self.identity
    }
}

impl Content for Arc<SharedFile> {
    fn read<'a>(&'a mut self, parts: Vec<Part<'a>>, _next: &'a VecDeque<Piece>) -> Later<'a, io::Result<()>> {
        let read = parts.into_iter().try_for_each(|part| self.file.read_exact_at(part.place, part.position));
        let is_short = |error: &io::Error| error.kind() == io::ErrorKind::UnexpectedEof;
        Box::pin(ready(read.map_err(|error| if is_short(&error) { shorter() } else { error })))
    }
}

impl Drop for SharedFile {
    fn drop(&mut self) {
        let mut open = lock(&self.open);
        // Another may have been opened between the last use of this one and here.
        if open.get(&self.identity).is_some_and(|file| file.strong_count() == 0) {
            open.remove(&self.identity);
        }
    }
}

#[derive(Debug)]
pub struct SharedFiles {
    permits: FilePermits,
    open: OpenFiles,
}

impl SharedFiles {
    pub fn new(permits: FilePermits) -> Self {
        Self { permits, open: OpenFiles::default() }
    }

    /// The file, if a response reads it already.
    pub fn get(&self, metadata: &Metadata) -> Option<Arc<SharedFile>> {
        lock(&self.open).get(&identity(metadata))?.upgrade()
    }

    /// A permit to open another file, if one is left.
    pub fn permit(&self) -> Option<FilePermit> {
        self.permits.take()
    }

    /// Shares an open file: from here on others can read it, too.
    pub fn share(&self, file: File, metadata: &Metadata, permit: FilePermit) -> Arc<SharedFile> {
        let identity = identity(metadata);
        let shared = Arc::new(SharedFile { file, identity, open: Arc::clone(&self.open), _permit: permit });
        lock(&self.open).insert(identity, Arc::downgrade(&shared));
        shared
    }
}

fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}

fn lock(open: &OpenFiles) -> MutexGuard<'_, HashMap<Identity, Weak<SharedFile>>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}
