//! The bytes of a response, read in chunks.

use std::collections::VecDeque;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use tokio::task;
use voxel_protocol::ranges::ByteRange;
use voxel_protocol::site::Piece;

use crate::edge::cached::{Cached, Missing};
use crate::edge::failure::Failure;
use crate::shared_files::SharedFile;

/// What ranges are ranges of.
#[derive(Debug)]
pub enum Content {
    File(Arc<SharedFile>),
    /// A file of the origin's, whose missing parts can be fetched.
    Cached(Cached),
    /// A small file of the origin's that is not kept.
    Memory(Bytes),
}

impl Content {
    /// The open file, if it is one.
    pub fn file(&self) -> Option<&Arc<SharedFile>> {
        if let Self::File(file) = self { Some(file) } else { None }
    }

    /// Blocks.
    fn read_at(&mut self, buffer: &mut [u8], position: u64) -> Result<usize, Unread> {
        match self {
            Self::File(file) => file.file.read_at(buffer, position).map_err(Unread::Failed),
            Self::Cached(cached) => cached.read_at(buffer, position).map_err(Unread::Missing),
            Self::Memory(bytes) => {
                let rest = bytes.get(position as usize..).unwrap_or_default();
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                Ok(count)
            }
        }
    }
}

impl From<Arc<SharedFile>> for Content {
    fn from(file: Arc<SharedFile>) -> Self {
        Self::File(file)
    }
}

/// Why bytes were not read.
#[derive(Debug)]
enum Unread {
    /// They must be fetched first.
    Missing(Missing),
    Failed(io::Error),
}

impl From<Unread> for io::Error {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Failed(error) => error,
            Unread::Missing(_) => Self::other("a part of the file is not there"),
        }
    }
}

/// A response's bytes: literal pieces and ranges of one file, in order. Read in chunks, never as a whole.
#[derive(Debug)]
pub struct Body {
    pieces: VecDeque<Piece>,
    content: Option<Content>,
    left: u64,
}

impl Body {
    pub fn new(pieces: impl IntoIterator<Item = Piece>, content: Option<Content>) -> Self {
        let pieces: VecDeque<_> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        let left = pieces.iter().map(Piece::len).sum();
        Self { pieces, content, left }
    }

    /// Whether a read may have to wait for the origin: see [`Body::read_fetching`].
    pub fn is_remote(&self) -> bool {
        matches!(self.content, Some(Content::Cached(_)))
    }

    /// Before the head of the response is sent: fetches the first block that is missing, so that an origin that is gone
    /// or whose file has changed is known while the client can still be told.
    pub async fn begin(&mut self) -> Result<(), Failure> {
        let Some(Content::Cached(cached)) = &mut self.content else { return Ok(()) };
        if let Some(missing) = cached.missing(ranges(&self.pieces)) {
            cached.fetch(missing).await?;
            cached.release();
        }
        Ok(())
    }

    /// Bytes that have not been read yet.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// The lengths of the pieces that have not been read yet.
    pub fn lengths(&self) -> Vec<u64> {
        self.pieces.iter().map(Piece::len).collect()
    }

    /// A buffer for the next `size` bytes, or fewer at the end. Must be made by the thread that frees it, not by the
    /// one that reads (see [`crate::app`]).
    pub fn room(&self, size: usize) -> BytesMut {
        BytesMut::zeroed(self.left.min(size as u64) as usize)
    }

    /// Blocks. Fills `chunk`, which must be at most as long as what is left. Fails if the file has become shorter.
    pub fn read(&mut self, mut chunk: BytesMut) -> io::Result<Bytes> {
        let (_, read) = self.fill(&mut chunk, 0);
        read?;
        Ok(chunk.freeze())
    }

    /// The same, but reads on another thread and fetches from the origin what is missing.
    pub async fn read_fetching(mut self, mut chunk: BytesMut) -> (Self, io::Result<Bytes>) {
        let mut filled = 0;
        loop {
            let read = task::spawn_blocking(move || {
                let (filled, result) = self.fill(&mut chunk, filled);
                (self, chunk, filled, result)
            });
            let result;
            match read.await {
                Ok(read) => (self, chunk, filled, result) = read,
                Err(error) => return (Self::new([], None), Err(io::Error::other(error))),
            }
            match (result, &mut self.content) {
                (Err(Unread::Missing(missing)), Some(Content::Cached(cached))) => {
                    if let Err(failure) = cached.fetch(missing).await {
                        return (self, Err(failure.into()));
                    }
                }
                (Err(unread), _) => return (self, Err(unread.into())),
                (Ok(()), Some(Content::Cached(cached))) => {
                    cached.release();
                    cached.read_ahead(ranges(&self.pieces));
                    return (self, Ok(chunk.freeze()));
                }
                (Ok(()), _) => return (self, Ok(chunk.freeze())),
            }
        }
    }

    /// Fills `chunk` from `filled` on, as far as it can; returns how far.
    fn fill(&mut self, chunk: &mut BytesMut, mut filled: usize) -> (usize, Result<(), Unread>) {
        while filled < chunk.len() {
            let Some(piece) = self.pieces.front_mut() else { break };
            let count = match piece {
                Piece::Literal(bytes) => {
                    let part = bytes.split_to(bytes.len().min(chunk.len() - filled));
                    chunk[filled..filled + part.len()].copy_from_slice(&part);
                    part.len()
                }
                Piece::Range(range) => {
                    let end = chunk.len().min(filled + usize::try_from(range.len()).unwrap_or(usize::MAX - filled));
                    let failed = |kind, message| Unread::Failed(io::Error::new(kind, message));
                    let read = match &mut self.content {
                        Some(content) => content.read_at(&mut chunk[filled..end], range.start),
                        None => Err(failed(io::ErrorKind::NotFound, "there is no file")),
                    };
                    let count = match read {
                        Ok(0) => {
                            return (filled, Err(failed(io::ErrorKind::UnexpectedEof, "the file has become shorter")));
                        }
                        Ok(count) => count,
                        Err(unread) => return (filled, Err(unread)),
                    };
                    range.start += count as u64;
                    count
                }
            };
            filled += count;
            self.left -= count as u64;
            if piece.is_empty() {
                self.pieces.pop_front();
            }
        }
        (filled, Ok(()))
    }
}

fn ranges(pieces: &VecDeque<Piece>) -> impl Iterator<Item = ByteRange> {
    pieces.iter().filter_map(|piece| if let Piece::Range(range) = piece { Some(*range) } else { None })
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use voxel_protocol::ranges::ByteRange;

    use super::*;
    use crate::descriptors::FilePermits;
    use crate::shared_files::SharedFiles;

    fn permitted(file: File) -> Option<Content> {
        let files = SharedFiles::new(FilePermits::new(1));
        let metadata = file.metadata().unwrap();
        files.permit().map(|permit| files.share(file, &metadata, permit).into())
    }

    /// A file of the bytes 0 to 255 without a name.
    fn file(name: &str) -> File {
        let path = std::env::temp_dir().join(format!("voxel-quiche-{name}-{}", std::process::id()));
        let mut file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        file.write_all(&(0..=255).collect::<Vec<u8>>()).unwrap();
        file
    }

    #[test]
    fn a_body_is_its_pieces_in_order_whatever_the_size_of_a_read() {
        for size in [1, 3, 7, 1000] {
            let range = |start, end| Piece::Range(ByteRange { start, end });
            let pieces = [range(5, 9), Piece::Literal("ab".into()), range(0, 0), range(0, 3)];
            let mut body = Body::new(pieces, permitted(file("body")));
            assert_eq!(body.left(), 9);
            let mut read = Vec::new();
            loop {
                let chunk = body.read(body.room(size)).unwrap();
                if chunk.is_empty() {
                    break;
                }
                read.extend_from_slice(&chunk);
            }
            assert_eq!(read, [5, 6, 7, 8, b'a', b'b', 0, 1, 2]);
        }
    }

    #[test]
    fn a_file_that_became_shorter_is_an_error() {
        let file = file("short");
        file.set_len(1).unwrap();
        let mut body = Body::new([Piece::Range(ByteRange { start: 0, end: 256 })], permitted(file));
        assert!(body.read(body.room(1000)).is_err());
    }
}
