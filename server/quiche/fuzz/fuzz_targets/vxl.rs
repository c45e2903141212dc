//! Records of growing files: the same ones however the file grows, and chunks in which every byte is in one range.
#![no_main]

use libfuzzer_sys::fuzz_target;
use voxel_protocol::ranges::ByteRange;
use voxel_protocol::vxl::{Chunk, Record, VxlError, VxlReader};

fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Result<Vec<Record>, VxlError>, VxlReader) {
    let (mut reader, mut records) = (VxlReader::default(), Vec::new());
    for piece in pieces {
        match reader.feed(piece) {
            Ok(more) => records.extend(more),
            Err(error) => return (Err(error), reader),
        }
    }
    (Ok(records), reader)
}

fn check(chunk: &Chunk, start: u64) {
    let mut ranges: Vec<&ByteRange> = chunk.reliable.iter().chain(chunk.frames.iter().flatten()).collect();
    ranges.sort_by_key(|range| range.start);
    let end = ranges.iter().fold(start, |place, range| {
        assert!(range.start == place && range.end > place);
        range.end
    });
    assert_eq!((chunk.start, chunk.end), (start, end));
    assert!(!chunk.reliable.is_empty());
}

fuzz_target!(|data: &[u8]| {
    let Some((piece, data)) = data.split_first() else { return };
    let (whole, reader) = read(std::iter::once(data));
    let (in_pieces, _) = read(data.chunks(usize::from(*piece).max(1)));
    assert_eq!(whole, in_pieces);
    let Ok(records) = whole else { return };
    let mut available = 0;
    for chunk in records.iter().filter_map(|record| record.chunk.as_ref()) {
        check(chunk, available);
        available = chunk.end;
    }
    assert_eq!(reader.available(), available);
    let served: usize = records.iter().map(|record| record.raw.len()).sum();
    assert!(reader.head().len() + served <= reader.taken());
});
