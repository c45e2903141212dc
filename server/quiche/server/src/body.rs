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

    /// Fills a part if nothing has to be waited for, neither a disk nor an origin; returns whether it is filled. Does not block.
    fn read_now(&mut self, _part: Part) -> bool {
        false
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
    fn read_now(&mut self, Part { position, place }: Part) -> bool {
        let there = self.get(position as usize..).and_then(|rest| rest.get(..place.len()));
        there.map(|bytes| place.copy_from_slice(bytes)).is_some()
    }

    fn read<'a>(&'a mut self, parts: Vec<Part<'a>>, _next: &'a VecDeque<Piece>) -> Later<'a, io::Result<()>> {
        let all = parts.into_iter().all(|part| self.read_now(part));
        Box::pin(ready(all.then_some(()).ok_or_else(shorter)))
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
        let parts = parts(&self.pieces, &mut chunk);
        skip(&mut self.pieces, parts.1);
        self.left -= parts.1 as u64;
        self.content.read(parts.0, &self.pieces).await?;
        Ok(chunk.freeze())
    }

    /// The same without blocking. Gives `chunk` back where something must be waited for: then nothing has been read.
    pub fn read_now(&mut self, mut chunk: BytesMut) -> Result<Bytes, BytesMut> {
        let (parts, count) = parts(&self.pieces, &mut chunk);
        if !parts.into_iter().all(|part| self.content.read_now(part)) {
            return Err(chunk);
        }
        skip(&mut self.pieces, count);
        self.left -= count as u64;
        Ok(chunk.freeze())
    }
}

/// The parts that ranges fill of a chunk, which gets what is literal of it at once; and its length.
fn parts<'a>(pieces: &VecDeque<Piece>, chunk: &'a mut [u8]) -> (Vec<Part<'a>>, usize) {
    let (count, mut room, mut parts) = (chunk.len(), chunk, Vec::new());
    for piece in pieces {
        let (place, rest) = room.split_at_mut(piece.len().min(room.len() as u64) as usize);
        match piece {
            Piece::Literal(bytes) => place.copy_from_slice(&bytes[..place.len()]),
            Piece::Range(range) if !place.is_empty() => parts.push(Part { position: range.start, place }),
            Piece::Range(_) => break,
        }
        room = rest;
    }
    (parts, count)
}

/// Takes the first `count` bytes of pieces away.
fn skip(pieces: &mut VecDeque<Piece>, mut count: usize) {
    while let Some(piece) = pieces.front_mut().filter(|_| count > 0) {
        let taken = piece.len().min(count as u64);
        match piece {
            Piece::Literal(bytes) => drop(bytes.split_to(taken as usize)),
            Piece::Range(range) => range.start += taken,
        }
        count -= taken as usize;
        if piece.is_empty() {
            pieces.pop_front();
        }
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
            for (content, at_once) in [(permitted(file("body")), false), (in_memory(), false), (in_memory(), true)] {
                let pieces = [range(5, 9), Piece::Literal("ab".into()), range(0, 0), range(0, 3)];
                let mut body = Body::new(pieces, content);
                assert_eq!(body.left(), 9);
                let mut read = Vec::new();
                while body.left() > 0 {
                    let room = body.room(size);
                    let bytes = if at_once { body.read_now(room).unwrap() } else { body.read(room).await.unwrap() };
                    read.extend_from_slice(&bytes);
                }
                assert_eq!(read, [5, 6, 7, 8, b'a', b'b', 0, 1, 2]);
            }
        }
    }

    #[tokio::test]
    async fn what_cannot_be_read_at_once_is_read_later_from_the_same_place() {
        /// Content that must be waited for, from its second part on.
        #[derive(Debug)]
        struct Slow(Bytes);
        impl Content for Slow {
            fn read_now(&mut self, part: Part) -> bool {
                part.position == 0 && self.0.read_now(part)
            }
            fn read<'a>(&'a mut self, parts: Vec<Part<'a>>, next: &'a VecDeque<Piece>) -> Later<'a, io::Result<()>> {
                self.0.read(parts, next)
            }
        }
        let mut body =
            Body::new([range(0, 2), Piece::Literal("a".into()), range(3, 6)], Box::new(Slow((0..9).collect())));
        assert_eq!(body.read_now(body.room(2)).unwrap()[..], [0, 1]);
        let refused = body.read_now(body.room(9)).unwrap_err();
        assert_eq!((refused.len(), body.left()), (4, 4));
        assert_eq!(body.read(refused).await.unwrap()[..], [b'a', 3, 4, 5]);
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
