//! The content of a file of the origin's, as responses read it.

use std::sync::Arc;

use voxel_protocol::ranges::ByteRange;

use super::entry::Entry;
use super::failure::Failure;
use super::store::Stored;
use super::{BLOCK_BYTES, Edge};

/// The block that a response has come to, and those that are fetched meanwhile.
const BLOCKS_AHEAD: usize = 3;

/// So many blocks of a request are looked for before it is answered.
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
    /// The same during a read.
    block: Option<(u64, Stored)>,
}

/// The number of a block that must be fetched first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing(pub u64);

impl Cached {
    pub fn new(edge: Arc<Edge>, entry: Arc<Entry>) -> Self {
        let name = entry.version.name(&entry.url);
        Self { edge, entry, name, last: None, block: None }
    }

    /// Blocks. Reads bytes of one block, at least one. [`Cached::release`] must follow the last one.
    pub fn read_at(&mut self, buffer: &mut [u8], position: u64) -> Result<usize, Missing> {
        let (number, start) = (position / BLOCK_BYTES, position % BLOCK_BYTES);
        let room = buffer.len().min((BLOCK_BYTES - start) as usize);
        if self.block.as_ref().is_none_or(|(open, _)| *open != number) {
            let block = self.edge.store.get(&self.block_name(number)).ok_or(Missing(number))?;
            self.block = Some((number, block));
            if self.last != Some(number) {
                self.edge.metrics.add("voxel_cache_hits_total", 1);
            }
        }
        self.last = Some(number);
        let read = self.block.as_ref().and_then(|(_, block)| block.read_at(&mut buffer[..room], start).ok());
        if let Some(count @ 1..) = read {
            return Ok(count);
        }
        // Somebody has cut the file.
        self.block = None;
        self.edge.store.remove(&self.block_name(number));
        Err(Missing(number))
    }

    /// After [`Missing`].
    pub async fn fetch(&mut self, Missing(number): Missing) -> Result<(), Failure> {
        let bytes = self.edge.fetch(&self.entry, number).await?;
        self.block = Some((number, Stored::Memory(bytes)));
        self.last = Some(number);
        Ok(())
    }

    /// Closes the block.
    pub fn release(&mut self) {
        self.block = None;
    }

    /// The first block of these ranges that is not there.
    pub fn missing(&self, ranges: impl Iterator<Item = ByteRange>) -> Option<Missing> {
        distinct_blocks(ranges).take(BLOCKS_BEFORE).find(|number| !self.holds(*number)).map(Missing)
    }

    /// Begins to fetch what these ranges need next.
    pub fn read_ahead(&self, ranges: impl Iterator<Item = ByteRange>) {
        for number in distinct_blocks(ranges).take(BLOCKS_AHEAD).filter(|number| !self.holds(*number)) {
            let (edge, entry) = (Arc::clone(&self.edge), Arc::clone(&self.entry));
            // If it fails, the response will ask again and say why.
            tokio::spawn(async move { edge.fetch(&entry, number).await });
        }
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
