use proptest::prelude::*;

use super::*;

const LIMIT: usize = 100;

/// All that a stream brings, its bytes coming `size` at a time; session data joined.
fn read(data: &[u8], size: usize) -> Result<Vec<StreamEvent>, ConnectionError> {
    let mut reader = StreamReader::new(LIMIT);
    let mut all = Vec::new();
    for piece in data.chunks(size) {
        all.extend(reader.feed(piece)?);
    }
    Ok(all)
}

fn frame(kind: u64, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame_head(kind, payload.len() as u64, &mut bytes);
    bytes.extend_from_slice(payload);
    bytes
}

proptest! {
    #[test]
    fn frames_may_come_in_pieces_and_unknown_ones_are_skipped(size in 1usize..30) {
        let data = [frame(0x21, b"grease"), frame(FRAME_HEADERS, b"block"), frame(0x40, b""), frame(FRAME_DATA, b"body")];
        let events = read(&data.concat(), size).unwrap();
        prop_assert_eq!(&events[0], &StreamEvent::Headers(b"block".to_vec()));
        let body: usize = events[1..].iter().map(|event| match event {
            StreamEvent::Body { data } => data.len(),
            other => panic!("{other:?}"),
        }).sum();
        prop_assert_eq!(body, 4);
    }

    #[test]
    fn a_session_stream_is_raw_bytes(size in 1usize..30) {
        let events = read(b"\x40\x41\x04GET /\x00\x01", size).unwrap();
        let mut bytes = Vec::new();
        for event in events {
            let StreamEvent::Session { id: 4, data } = event else { panic!("{event:?}") };
            bytes.extend_from_slice(&data);
        }
        prop_assert_eq!(bytes, b"GET /\x00\x01");
    }

    #[test]
    fn any_bytes_are_read_or_refused_and_little_is_kept(
        data in proptest::collection::vec(any::<u8>(), 0..400), size in 1usize..50,
    ) {
        let mut reader = StreamReader::new(LIMIT);
        for piece in data.chunks(size) {
            if reader.feed(piece).is_err() {
                break;
            }
            prop_assert!(reader.buffer.len() <= LIMIT + 16);
        }
        let mut reader = UniReader::default();
        for piece in data.chunks(size) {
            if reader.feed(piece, false).is_err() {
                break;
            }
        }
    }
}

#[test]
fn an_endless_header_block_is_cut_off_before_it_comes() {
    assert_eq!(read(b"\x01\x80\xff\xff\xff", 1).unwrap(), [StreamEvent::TooLong]);
}

#[test]
fn frames_in_the_wrong_place_end_the_connection() {
    for data in [&frame(FRAME_SETTINGS, b"")[..], &frame(FRAME_DATA, b"x"), b"\x01\x00\x40\x41\x00"] {
        assert_eq!(read(data, 100), Err(ConnectionError::FrameUnexpected));
    }
}

fn control(frames: &[u8], fin: bool) -> Result<Option<UniEvent>, ConnectionError> {
    UniReader::default().feed(&[b"\x00", frames].concat(), fin)
}

#[test]
fn the_control_stream_begins_with_settings_and_never_ends() {
    let settings = control_stream(&[(0x33, 1), (0x2b60_3742, 1)]);
    assert_eq!(UniReader::default().feed(&settings, false), Ok(Some(UniEvent::Critical(Critical::Control))));
    assert_eq!(UniReader::default().feed(&settings, true), Err(ConnectionError::ClosedCriticalStream));
    assert_eq!(control(b"\x07\x01\x00", false), Err(ConnectionError::MissingSettings));
    assert_eq!(control(b"\x04\x00\x04\x00", false), Err(ConnectionError::FrameUnexpected));
    assert_eq!(control(b"\x04\x04\x33\x01\x33\x01", false), Err(ConnectionError::Settings));
    assert_eq!(control(b"\x04\x01\x33", false), Err(ConnectionError::Frame));
    assert_eq!(control(b"\x04\x80\xff\xff\xff", false), Err(ConnectionError::ExcessiveLoad));
}

#[test]
fn streams_of_other_kinds_are_unwanted_but_harmless() {
    for data in [&b"\x40\x54\x00data"[..], b"\x21grease"] {
        assert_eq!(UniReader::default().feed(data, false), Ok(Some(UniEvent::Unwanted)));
    }
    assert_eq!(UniReader::default().feed(b"\x01", false), Err(ConnectionError::StreamCreation));
}

#[test]
fn a_message_is_a_head_data_and_trailers() {
    let head = frame(FRAME_HEADERS, b"block");
    assert_eq!(
        read(&[&head[..], &head, &frame(FRAME_DATA, b"x")].concat(), 100),
        Err(ConnectionError::FrameUnexpected)
    );
    assert_eq!(read(&[&head[..], &head, &head].concat(), 100), Err(ConnectionError::FrameUnexpected));
    assert_eq!(
        read(&[&frame(0x21, b"x")[..], &frame(FRAME_DATA, b"x")].concat(), 9),
        Err(ConnectionError::FrameUnexpected)
    );
}

#[test]
fn a_stream_does_not_end_within_a_frame() {
    for (data, complete) in
        [(&b""[..], true), (b"\x40", false), (b"\x01\x05a", false), (b"\x21\x05a", false), (b"\x21\x01a", true)]
    {
        let mut reader = StreamReader::new(LIMIT);
        reader.feed(data).unwrap();
        assert_eq!(reader.end().is_ok(), complete, "{data:?}");
    }
}

#[test]
fn settings_of_http2_pushes_and_tables_are_refused() {
    assert_eq!(control(b"\x04\x02\x02\x00", false), Err(ConnectionError::Settings));
    assert_eq!(control(b"\x04\x02\x33\x02", false), Err(ConnectionError::Settings));
    assert_eq!(control(b"\x04\x00\x03\x01\x00", false), Err(ConnectionError::Id));
    assert_eq!(control(b"\x04\x00\x0d\x01\x05\x0d\x01\x04", false), Err(ConnectionError::Id));
    assert_eq!(control(b"\x04\x00\x0d\x02\x05\x00", false), Err(ConnectionError::Frame));
    assert_eq!(UniReader::default().feed(b"\x02\x3f\x45", false), Err(ConnectionError::QpackEncoderStream));
    assert_eq!(UniReader::default().feed(b"\x02\x20", false), Ok(Some(UniEvent::Critical(Critical::QpackEncoder))));
    assert_eq!(UniReader::default().feed(b"\x03", true), Err(ConnectionError::ClosedCriticalStream));
}
