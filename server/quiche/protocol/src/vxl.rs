//! Records of chunks beside a media file that grows, `.vxl` (docs/MANIFEST.md, "Live records").

use std::collections::BTreeSet;

use bytes::{Buf, Bytes, BytesMut};

use crate::ranges::ByteRange;
use crate::varint;

/// End of the file's name, after that of the media file.
pub const SUFFIX: &str = ".vxl";

pub const MAX_FILE_BYTES: usize = 1 << 20;
const MAX_CONTENT_BYTES: u64 = 1 << 16;
const MAX_CHUNKS: usize = 4096;

/// Numbers from here on are not exact in every reader.
const TOO_LARGE: u64 = 1 << 53;

/// The first type that is the server's (docs/PROTOCOL.md, "Growing files").
pub const FIRST_OWN_TYPE: u64 = 16;

const CHUNK: u64 = 1;
const END: u64 = 2;

const HEAD_BYTES: usize = 16;
/// The first bytes of a file, with the version.
const MAGIC: &[u8] = b"VXLV\x01";
/// Their codes begin at 0.
const METRICS: u8 = 3;
const MAX_DECIMALS: u8 = 9;

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct VxlError(&'static str);

/// What a server must know of a chunk: where its bytes are. Ranges are of the media file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub start: u64,
    pub end: u64,
    /// Reliable ranges in file order.
    pub reliable: Vec<ByteRange>,
    /// Most important first. With the reliable ranges they are exactly the chunk.
    pub frames: Vec<Vec<ByteRange>>,
}

impl Chunk {
    /// Bytes of each frame.
    pub fn frame_lengths(&self) -> Vec<u64> {
        self.frames.iter().map(|frame| frame.iter().map(ByteRange::len).sum()).collect()
    }
}

/// One record of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The whole record, with type and length.
    pub raw: Bytes,
    /// The chunk; `None`: a record of another type.
    pub chunk: Option<Chunk>,
}

/// Takes records out of the bytes of a file that may still grow.
#[derive(Debug, Default)]
pub struct VxlReader {
    head: Bytes,
    available: u64,
    ended: bool,
    taken: usize,
    chunks: usize,
    rest: BytesMut,
}

impl VxlReader {
    /// The first 16 bytes; empty before they are there.
    pub fn head(&self) -> &Bytes {
        &self.head
    }

    /// Bytes of the media file for which there are records.
    pub fn available(&self) -> u64 {
        self.available
    }

    /// Whether the end record has come.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Bytes of the file that were fed.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// The records that are complete now. Must not be called again after an error.
    pub fn feed(&mut self, data: &[u8]) -> Result<Vec<Record>, VxlError> {
        self.taken += data.len();
        if self.taken > MAX_FILE_BYTES {
            return Err(VxlError("more than 2^20 bytes"));
        }
        self.rest.extend_from_slice(data);
        let mut records = Vec::new();
        if self.head.is_empty() && !self.take_head()? {
            return Ok(records);
        }
        while let Some((number, start, end)) = next_record(&self.rest)? {
            let chunk = self.read(number, start, end)?;
            let raw = self.rest.split_to(end).freeze();
            if number < FIRST_OWN_TYPE {
                records.push(Record { raw, chunk });
            }
        }
        Ok(records)
    }

    fn take_head(&mut self) -> Result<bool, VxlError> {
        let known = self.rest.len().min(MAGIC.len());
        if self.rest[..known] != MAGIC[..known] {
            return Err(VxlError("not a .vxl file of version 1"));
        }
        let Some(head) = self.rest.get(..HEAD_BYTES) else { return Ok(false) };
        if head[5] >= METRICS || head[6] > MAX_DECIMALS || head[8..12] == [0; 4] {
            return Err(VxlError("a metric, decimals or a timescale that are not valid"));
        }
        self.head = self.rest.split_to(HEAD_BYTES).freeze();
        Ok(true)
    }

    fn read(&mut self, number: u64, start: usize, end: usize) -> Result<Option<Chunk>, VxlError> {
        if !matches!(number, CHUNK | END) {
            return Ok(None);
        }
        if self.ended {
            return Err(VxlError("a chunk or an end after the end"));
        }
        let mut numbers = Numbers(&self.rest[start..end]);
        if number == END {
            let length = numbers.next()?;
            numbers.close()?;
            if length != self.available {
                return Err(VxlError("an end that is not where the last chunk ends"));
            }
            self.ended = true;
            return Ok(None);
        }
        self.chunks += 1;
        if self.chunks > MAX_CHUNKS {
            return Err(VxlError("more than 4096 chunks"));
        }
        let chunk = numbers.chunk(self.available)?;
        self.available = chunk.end;
        Ok(Some(chunk))
    }
}

/// Type, start and end of the content of the record that `data` begin with; `None`: it is not complete.
fn next_record(data: &[u8]) -> Result<Option<(u64, usize, usize)>, VxlError> {
    let Some((number, first)) = varint::decode(data) else { return Ok(None) };
    if number >= TOO_LARGE {
        return Err(VxlError("a number of 2^53 or more"));
    }
    let Some((length, second)) = varint::decode(&data[first..]) else { return Ok(None) };
    if length > MAX_CONTENT_BYTES {
        return Err(VxlError("a record of more than 2^16 bytes"));
    }
    let (start, end) = (first + second, first + second + length as usize);
    Ok((data.len() >= end).then_some((number, start, end)))
}

/// The numbers of one record's content.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn next(&mut self) -> Result<u64, VxlError> {
        let (number, length) = varint::decode(self.0).ok_or(VxlError("a content that ends too early"))?;
        self.0.advance(length);
        if number >= TOO_LARGE { Err(VxlError("a number of 2^53 or more")) } else { Ok(number) }
    }

    fn close(&self) -> Result<(), VxlError> {
        if self.0.is_empty() { Ok(()) } else { Err(VxlError("bytes after the content of a record")) }
    }

    /// A range that begins that far from `from`, within a chunk that ends at `end`.
    fn range(&mut self, from: u64, end: u64) -> Result<ByteRange, VxlError> {
        let start = from + self.next()?;
        let range = ByteRange { start, end: start + self.next()? };
        if range.end > end || range.is_empty() {
            Err(VxlError("a range that is empty or beyond its chunk"))
        } else {
            Ok(range)
        }
    }

    fn chunk(&mut self, available: u64) -> Result<Chunk, VxlError> {
        let (start, length) = (self.next()?, self.next()?);
        if start != available {
            return Err(VxlError("a chunk that does not start where the last one ended"));
        }
        for _ in ["decode time", "duration", "captured", "whole score", "reliable-only score"] {
            self.next()?;
        }
        let end = start + length;
        let (mut place, mut reliable) = (start, Vec::new());
        for _ in 0..self.next()? {
            let range = self.range(place, end)?;
            place = range.end;
            reliable.push(range);
        }
        let (mut frames, mut indexes) = (Vec::new(), BTreeSet::new());
        for _ in 0..self.next()? {
            if !indexes.insert(self.next()?) {
                return Err(VxlError("a frame that is named twice"));
            }
            let mut ranges: Vec<ByteRange> = Vec::new();
            for _ in 0..self.next()? {
                ranges.push(self.range(start, end)?);
            }
            if ranges.is_empty() || !ranges.is_sorted_by(|one, next| one.end <= next.start) {
                return Err(VxlError("a frame without ranges, or with ranges that are not in file order"));
            }
            self.next()?;
            frames.push(ranges);
        }
        self.close()?;
        let chunk = Chunk { start, end, reliable, frames };
        if covers(&chunk) { Ok(chunk) } else { Err(VxlError("a byte of a chunk in no range or in several")) }
    }
}

/// Whether reliable bytes, of which there are some, and frames are together the chunk.
fn covers(chunk: &Chunk) -> bool {
    let mut ranges: Vec<_> = chunk.reliable.iter().chain(chunk.frames.iter().flatten()).copied().collect();
    ranges.sort_by_key(|range| range.start);
    let end = ranges.iter().try_fold(chunk.start, |place, range| (range.start == place).then_some(range.end));
    end == Some(chunk.end) && !chunk.reliable.is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_records_or_refused_however_the_file_grows(
            data in proptest::collection::vec(0u8..20, 0..200), cut in 0usize..200,
        ) {
            let head = b"VXLV\x01\0\x05\0\0\0\x3c\0\0\0\0\0";
            let whole = VxlReader::default().feed(&[head, &data[..]].concat());
            let (mut reader, cut) = (VxlReader::default(), cut.min(data.len()));
            let first = reader.feed(&[head, &data[..cut]].concat());
            let both = first.and_then(|mut first| {
                first.extend(reader.feed(&data[cut..])?);
                Ok(first)
            });
            prop_assert_eq!(both, whole);
        }
    }
}
