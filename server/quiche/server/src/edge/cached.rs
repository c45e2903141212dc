//! The content of a file of the origin's, as responses read it.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use voxel_protocol::ranges::ByteRange;
use voxel_protocol::site::Piece;

use super::clients::Client;
use super::entry::Entry;
use super::failure::Failure;
use super::store::Stored;
use super::{BLOCK_BYTES, Edge};
use crate::body::{Content, Later, Part, ranges};
use crate::open_error::OpenError;

/// The block that a response has come to, and those that are fetched meanwhile.
const BLOCKS_AHEAD: usize = 3;

/// Blocks of a request that are looked for before it is answered.
const BLOCKS_BEFORE: usize = 64;

/// What is read of a file at a time ([`crate::jobs`]).
const PART_BYTES: u64 = 64 * 1024;

/// One state of a file, for one response.
#[derive(Debug)]
pub struct Cached {
    edge: Arc<Edge>,
    entry: Arc<Entry>,
    /// The name that its blocks' names begin with.
    name: String,
    /// The block that was read last.
    last: Option<u64>,
    client: Arc<Client>,
    /// A part that was fetched without its block, and where it begins.
    exact: Option<(u64, Bytes)>,
}

/// A block that is open as long as one read takes, and its number.
type Open = (u64, Stored);

impl Content for Cached {
    fn begin<'a>(&'a mut self, pieces: &'a VecDeque<Piece>) -> Later<'a, Result<(), OpenError>> {
        Box::pin(async {
            let first = distinct_blocks(ranges(pieces)).take(BLOCKS_BEFORE).find(|number| !self.holds(*number));
            let Some(number) = first else { return Ok(()) };
            let first = ranges(pieces).find_map(|range| part_of_block(range, number));
            // `path` is of no use: what was opened as a file is no folder.
            self.fetch_first(number, first).await.map_err(|failure| failure.into_open_error(""))
        })
    }

    fn read<'a>(&'a mut self, parts: Vec<Part<'a>>, next: &'a VecDeque<Piece>) -> Later<'a, io::Result<()>> {
        Box::pin(async move {
            self.client.reads(parts.iter().map(|part| part.place.len() as u64).sum());
            let mut open = None;
            for Part { mut position, mut place } in parts {
                while !place.is_empty() {
                    let count = self.read_block(&mut open, place, position).await?;
                    (position, place) = (position + count as u64, &mut place[count..]);
                }
            }
            for number in distinct_blocks(ranges(next)).take(BLOCKS_AHEAD).filter(|number| !self.holds(*number)) {
                self.edge.fetch_ahead(&self.entry, number, &self.client);
            }
            Ok(())
        })
    }
}

impl Cached {
    pub fn new(edge: Arc<Edge>, entry: Arc<Entry>, client: Arc<Client>) -> Self {
        let name = entry.version.name(&entry.url);
        Self { edge, entry, name, last: None, client, exact: None }
    }

    /// Fetches a block, or the first part of it that is asked for.
    async fn fetch_first(&mut self, number: u64, first: Option<ByteRange>) -> Result<(), Failure> {
        match (self.fetch(number).await?, first) {
            (None, Some(range)) => self.fetch_part(range).await,
            _ => Ok(()),
        }
    }

    /// Reads bytes of one block, at least one.
    async fn read_block(&mut self, open: &mut Option<Open>, place: &mut [u8], position: u64) -> Result<usize, Failure> {
        let (number, start) = (position / BLOCK_BYTES, position % BLOCK_BYTES);
        let room = place.len().min((BLOCK_BYTES - start) as usize);
        loop {
            let block = match open.take() {
                Some((other, block)) if other == number => block,
                _ => match self.block(number).await? {
                    Some(block) => block,
                    None => return self.read_part(&mut place[..room], position).await,
                },
            };
            if let Ok(count @ 1..) = block.read_at(&mut place[..room], start) {
                *open = Some((number, block));
                return Ok(count);
            }
            // Somebody has cut or damaged the file.
            self.edge.store.remove(&self.block_name(number));
        }
    }

    /// Reads bytes that are fetched without their block, at least one.
    async fn read_part(&mut self, place: &mut [u8], position: u64) -> Result<usize, Failure> {
        loop {
            if let Some((start, bytes)) = &self.exact {
                let from = usize::try_from(position.wrapping_sub(*start)).unwrap_or(usize::MAX);
                let rest = bytes.get(from..).unwrap_or_default();
                let count = rest.len().min(place.len());
                if count > 0 {
                    place[..count].copy_from_slice(&rest[..count]);
                    return Ok(count);
                }
            }
            self.fetch_part(ByteRange { start: position, end: position + place.len() as u64 }).await?;
        }
    }

    async fn fetch_part(&mut self, range: ByteRange) -> Result<(), Failure> {
        let bytes = self.edge.part(&self.entry, range, &self.client).await?;
        self.exact = Some((range.start, bytes));
        Ok(())
    }

    async fn block(&mut self, number: u64) -> Result<Option<Stored>, Failure> {
        let is_first_read = self.last.replace(number) != Some(number);
        match self.edge.store.get(&self.block_name(number)) {
            Some(block) => {
                self.edge.metrics.add("voxel_cache_hits_total", i64::from(is_first_read));
                Ok(Some(block))
            }
            None => self.fetch(number).await,
        }
    }

    /// `None`: see [`Edge::block`].
    async fn fetch(&mut self, number: u64) -> Result<Option<Stored>, Failure> {
        self.last = Some(number);
        let block = self.edge.block(&self.entry, number, &self.client).await?;
        Ok(block.map(Stored::Memory))
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

/// What of a range lies in a block, but no more than is read at a time.
fn part_of_block(range: ByteRange, number: u64) -> Option<ByteRange> {
    let start = range.start.max(number * BLOCK_BYTES);
    let end = range.end.min((number + 1) * BLOCK_BYTES).min(start + PART_BYTES);
    (start < end).then_some(ByteRange { start, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_blocks() {
        let range = |start, end| ByteRange { start, end };
        assert_eq!(part_of_block(range(10, 20), 0), Some(range(10, 20)));
        assert_eq!(part_of_block(range(10, 20), 1), None);
        assert_eq!(part_of_block(range(0, 3 * BLOCK_BYTES), 1), Some(range(BLOCK_BYTES, BLOCK_BYTES + PART_BYTES)));
        assert_eq!(part_of_block(range(0, BLOCK_BYTES + 1), 1), Some(range(BLOCK_BYTES, BLOCK_BYTES + 1)));
    }

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
