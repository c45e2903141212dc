//! The content of a file of the origin's, as responses read it.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use voxel_protocol::ranges::ByteRange;
use voxel_protocol::site::Piece;

use super::entry::Entry;
use super::failure::Failure;
use super::flights::landed;
use super::store::Stored;
use super::{BLOCK_BYTES, Edge, broken};
use crate::body::{Content, Later, Part, ranges};
use crate::open_error::OpenError;

/// The block that a response has come to, and those that are fetched meanwhile.
const BLOCKS_AHEAD: usize = 3;

/// Blocks of a request that are looked for before it is answered.
const BLOCKS_BEFORE: usize = 64;

/// One state of a file, for one response.
#[derive(Debug)]
pub struct Cached {
    edge: Arc<Edge>,
    entry: Arc<Entry>,
    /// The name that its blocks' names begin with.
    name: String,
    /// The block that was read last.
    last: Option<u64>,
}

/// A block that is open as long as one read takes, and its number.
type Open = (u64, Stored);

impl Content for Cached {
    fn begin<'a>(&'a mut self, pieces: &'a VecDeque<Piece>) -> Later<'a, Result<(), OpenError>> {
        Box::pin(async {
            let first = distinct_blocks(ranges(pieces)).take(BLOCKS_BEFORE).find(|number| !self.holds(*number));
            let Some(number) = first else { return Ok(()) };
            // `path` is of no use: what was opened as a file is no folder.
            self.fetch(number).await.map(drop).map_err(|failure| failure.into_open_error(""))
        })
    }

    fn read<'a>(&'a mut self, parts: Vec<Part<'a>>, next: &'a VecDeque<Piece>) -> Later<'a, io::Result<()>> {
        Box::pin(async move {
            let mut open = None;
            for Part { mut position, mut place } in parts {
                while !place.is_empty() {
                    let count = self.read_block(&mut open, place, position).await?;
                    (position, place) = (position + count as u64, &mut place[count..]);
                }
            }
            for number in distinct_blocks(ranges(next)).take(BLOCKS_AHEAD).filter(|number| !self.holds(*number)) {
                // If it fails, the response will ask again and say why.
                drop(self.edge.fetch(&self.entry, number));
            }
            Ok(())
        })
    }
}

impl Cached {
    pub fn new(edge: Arc<Edge>, entry: Arc<Entry>) -> Self {
        let name = entry.version.name(&entry.url);
        Self { edge, entry, name, last: None }
    }

    /// Reads bytes of one block, at least one.
    async fn read_block(&mut self, open: &mut Option<Open>, place: &mut [u8], position: u64) -> Result<usize, Failure> {
        let (number, start) = (position / BLOCK_BYTES, position % BLOCK_BYTES);
        let room = place.len().min((BLOCK_BYTES - start) as usize);
        loop {
            let block = match open.take() {
                Some((other, block)) if other == number => block,
                _ => self.block(number).await?,
            };
            if let Ok(count @ 1..) = block.read_at(&mut place[..room], start) {
                *open = Some((number, block));
                return Ok(count);
            }
            // Somebody has cut the file.
            self.edge.store.remove(&self.block_name(number));
        }
    }

    async fn block(&mut self, number: u64) -> Result<Stored, Failure> {
        let is_first_read = self.last.replace(number) != Some(number);
        match self.edge.store.get(&self.block_name(number)) {
            Some(block) => {
                self.edge.metrics.add("voxel_cache_hits_total", i64::from(is_first_read));
                Ok(block)
            }
            None => self.fetch(number).await,
        }
    }

    async fn fetch(&mut self, number: u64) -> Result<Stored, Failure> {
        self.last = Some(number);
        landed(self.edge.fetch(&self.entry, number)).await.unwrap_or_else(broken).map(Stored::Memory)
    }

    fn holds(&self, number: u64) -> bool {
        self.edge.store.holds(&self.block_name(number))
    }

    fn block_name(&self, number: u64) -> String {
        format!("{}-{number}", self.name)
    }
}

/// The blocks of ranges in their order, one that follows itself only once.
fn distinct_blocks(ranges: impl Iterator<Item = ByteRange>) -> impl Iterator<Item = u64> {
    let mut last = None;
    ranges
        .filter(|range| !range.is_empty())
        .flat_map(|range| range.start / BLOCK_BYTES..=(range.end - 1) / BLOCK_BYTES)
        .filter(move |number| last.replace(*number) != Some(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_ranges() {
        let range = |start, end| ByteRange { start, end };
        let ranges = [
            range(0, 10),
            range(10, BLOCK_BYTES + 1),
            range(7, 7),
            range(3 * BLOCK_BYTES, 4 * BLOCK_BYTES),
            range(5, 6),
        ];
        assert_eq!(distinct_blocks(ranges.into_iter()).collect::<Vec<_>>(), [0, 1, 3, 0]);
    }
}
