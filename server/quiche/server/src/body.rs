//! The bytes of a response, read in chunks. Reading blocks.

use std::collections::VecDeque;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use voxel_protocol::site::Piece;

use crate::shared_files::SharedFile;

/// A response's bytes: literal pieces and ranges of one file, in order. Read in chunks, never as a whole.
#[derive(Debug)]
pub struct Body {
    pieces: VecDeque<Piece>,
    file: Option<Arc<SharedFile>>,
    left: u64,
}

impl Body {
    pub fn new(pieces: impl IntoIterator<Item = Piece>, file: Option<Arc<SharedFile>>) -> Self {
        let pieces: VecDeque<_> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        let left = pieces.iter().map(Piece::len).sum();
        Self { pieces, file, left }
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

    /// Fills `chunk`, which must be at most as long as what is left. Fails if the file has become shorter.
    pub fn read(&mut self, mut chunk: BytesMut) -> io::Result<Bytes> {
        let mut filled = 0;
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
                    let file = &self.file.as_ref().ok_or(io::ErrorKind::NotFound)?.file;
                    let count = file.read_at(&mut chunk[filled..end], range.start)?;
                    if count == 0 {
                        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file has become shorter"));
                    }
                    range.start += count as u64;
                    count
                }
            };
            filled += count;
            if piece.is_empty() {
                self.pieces.pop_front();
            }
        }
        self.left -= filled as u64;
        Ok(chunk.freeze())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use voxel_protocol::ranges::ByteRange;

    use super::*;
    use crate::descriptors::FilePermits;
    use crate::shared_files::SharedFiles;

    fn permitted(file: File) -> Option<Arc<SharedFile>> {
        let files = SharedFiles::new(FilePermits::new(1));
        let metadata = file.metadata().unwrap();
        files.permit().map(|permit| files.share(file, &metadata, permit))
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
