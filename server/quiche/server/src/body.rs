//! The bytes of a response, read in chunks.

use std::collections::VecDeque;
use std::fmt;
use std::future::ready;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use voxel_protocol::ranges::ByteRange;
use voxel_protocol::site::Piece;

use crate::open_error::OpenError;

/// The result of a method of [`Content`].
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Bytes of the content from `position` on, as many as `place` has room for.
#[derive(Debug)]
pub struct Part<'a> {
    pub position: u64,
    pub place: &'a mut [u8],
}

/// What ranges are ranges of. What its methods return may block: see [`crate::jobs::run`].
pub trait Content: fmt::Debug + Send {
    /// Fetches the first bytes of these pieces that must be fetched, before the head of the response is sent: so that an
    /// origin that is gone or whose file has changed is known while the client can still be told.
    fn begin<'a>(&'a mut self, _pieces: &'a VecDeque<Piece>) -> Later<'a, Result<(), OpenError>> {
        Box::pin(ready(Ok(())))
    }

    /// Fills all parts. Fails if the content has become shorter. `next`: what will be read after them.
    fn read<'a>(&'a mut self, parts: Vec<Part<'a>>, next: &'a VecDeque<Piece>) -> Later<'a, io::Result<()>>;
}

/// What several responses read at the same time, while it may still grow.
pub trait Media: fmt::Debug + Send + Sync {
    /// Its bytes, for one of them.
    fn content(self: Arc<Self>) -> Box<dyn Content>;
}

impl Content for Bytes {
    fn read<'a>(&'a mut self, parts: Vec<Part<'a>>, _next: &'a VecDeque<Piece>) -> Later<'a, io::Result<()>> {
        let read = parts.into_iter().try_for_each(|Part { position, place }| {
            let rest = self.get(position as usize..).unwrap_or_default();
            place.copy_from_slice(rest.get(..place.len()).ok_or_else(shorter)?);
            Ok(())
        });
        Box::pin(ready(read))
    }
}

impl Media for Bytes {
    fn content(self: Arc<Self>) -> Box<dyn Content> {
        Box::new((*self).clone())
    }
}

/// The error of content that has become shorter.
pub fn shorter() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file has become shorter")
}

/// The ranges among pieces.
pub fn ranges(pieces: &VecDeque<Piece>) -> impl Iterator<Item = ByteRange> {
    pieces.iter().filter_map(|piece| if let Piece::Range(range) = piece { Some(*range) } else { None })
}

/// A response's bytes: literal pieces and ranges of one content, in order. Read in chunks, never as a whole.
#[derive(Debug)]
pub struct Body {
    pieces: VecDeque<Piece>,
    content: Box<dyn Content>,
    left: u64,
}

impl Body {
    pub fn new(pieces: impl IntoIterator<Item = Piece>, content: Box<dyn Content>) -> Self {
        let pieces: VecDeque<_> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        let left = pieces.iter().map(Piece::len).sum();
        Self { pieces, content, left }
    }

    /// A body without ranges.
    pub fn literal(pieces: impl IntoIterator<Item = Piece>) -> Self {
        Self::new(pieces, Box::new(Bytes::new()))
    }

    /// Fetches the first bytes that must be fetched: see [`Content::begin`].
    pub async fn begin(&mut self) -> Result<(), OpenError> {
        self.content.begin(&self.pieces).await
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

    /// Fills `chunk`, which must be at most as long as what is left. See [`Content::read`]; nothing can be read after an
    /// error.
    pub async fn read(&mut self, mut chunk: BytesMut) -> io::Result<Bytes> {
        self.left -= chunk.len() as u64;
        let (mut room, mut parts) = (&mut chunk[..], Vec::new());
        while let Some(piece) = self.pieces.front_mut().filter(|_| !room.is_empty()) {
            let (place, rest) = room.split_at_mut(piece.len().min(room.len() as u64) as usize);
            match piece {
                Piece::Literal(bytes) => place.copy_from_slice(&bytes.split_to(place.len())),
                Piece::Range(range) => {
                    let position = range.start;
                    range.start += place.len() as u64;
                    parts.push(Part { position, place });
                }
            }
            room = rest;
            if piece.is_empty() {
                self.pieces.pop_front();
            }
        }
        self.content.read(parts, &self.pieces).await?;
        Ok(chunk.freeze())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;
    use crate::shared_files::SharedFiles;

    fn permitted(file: File) -> Box<dyn Content> {
        let files = SharedFiles::new(1);
        let metadata = file.metadata().unwrap();
        Box::new(files.share(file, &metadata, files.permit().unwrap()))
    }

    /// A file of the bytes 0 to 255 without a name.
    fn file(name: &str) -> File {
        let path = std::env::temp_dir().join(format!("voxel-quiche-{name}-{}", std::process::id()));
        let mut file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        file.write_all(&(0..=255).collect::<Vec<u8>>()).unwrap();
        file
    }

    fn range(start: u64, end: u64) -> Piece {
        Piece::Range(ByteRange { start, end })
    }

    #[tokio::test]
    async fn a_body_is_its_pieces_in_order_whatever_the_size_of_a_read() {
        for size in [1, 3, 7, 1000] {
            let in_memory = || Box::new((0..=255).collect::<Bytes>());
            for content in [permitted(file("body")), in_memory()] {
                let pieces = [range(5, 9), Piece::Literal("ab".into()), range(0, 0), range(0, 3)];
                let mut body = Body::new(pieces, content);
                assert_eq!(body.left(), 9);
                let mut read = Vec::new();
                while body.left() > 0 {
                    read.extend_from_slice(&body.read(body.room(size)).await.unwrap());
                }
                assert_eq!(read, [5, 6, 7, 8, b'a', b'b', 0, 1, 2]);
            }
        }
    }

    #[tokio::test]
    async fn a_file_that_became_shorter_is_an_error() {
        let file = file("short");
        file.set_len(1).unwrap();
        for content in [permitted(file), Box::new(Bytes::from_static(&[0]))] {
            let mut body = Body::new([range(0, 256)], content);
            assert!(body.read(body.room(1000)).await.is_err());
        }
    }
}
