//! HTTP/3's frames and WebTransport's streams: the same events however the bytes are cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use voxel_protocol::framing::{ConnectionError, StreamEvent, StreamReader, UniReader};

const HEAD_LIMIT: usize = 256;

/// What a stream came to: its events with those that may be cut put together, and the error at its end.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    headers: Vec<Vec<u8>>,
    body: usize,
    session: Option<u64>,
    data: Vec<u8>,
    too_long: bool,
    error: Option<ConnectionError>,
}

fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Outcome {
    let (mut reader, mut outcome) = (StreamReader::new(HEAD_LIMIT), Outcome::default());
    for piece in pieces {
        let events = match reader.feed(piece) {
            Ok(events) => events,
            Err(error) => {
                // What came before the error in the same piece is not told.
                return Outcome { error: Some(error), ..Outcome::default() };
            }
        };
        for event in events {
            match event {
                StreamEvent::Headers(block) => {
                    assert!(block.len() <= HEAD_LIMIT);
                    outcome.headers.push(block);
                }
                StreamEvent::Body { length } => outcome.body += length,
                StreamEvent::Session { id, data } => {
                    outcome.session = Some(id);
                    outcome.data.extend_from_slice(&data);
                }
                StreamEvent::TooLong => outcome.too_long = true,
            }
        }
    }
    outcome
}

fn read_unidirectional<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Option<ConnectionError> {
    let mut reader = UniReader::default();
    pieces.map(|piece| reader.feed(piece, false)).find_map(Result::err)
}

fuzz_target!(|data: &[u8]| {
    let Some((piece, data)) = data.split_first() else { return };
    let piece = usize::from(*piece).max(1);
    assert_eq!(read(std::iter::once(data)), read(data.chunks(piece)));
    assert_eq!(read_unidirectional(std::iter::once(data)), read_unidirectional(data.chunks(piece)));
});
