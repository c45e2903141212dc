//! The vectors of growing files that all three languages share.

use std::time::Duration;

use serde_json::{Value, json};
use voxel_protocol::flow::{Flow, FlowId, parse_datagram};
use voxel_protocol::follow::{Sent, bytes_record, follow_head, frames_record, sent_record};
use voxel_protocol::limits::Limits;
use voxel_protocol::ranges::ByteRange;
use voxel_protocol::request::{FollowWish, RequestReader};
use voxel_protocol::vxl::{Chunk, Record, VxlError, VxlReader};

fn vectors(text: &str, kind: &str) -> Vec<Value> {
    let vectors: Value = serde_json::from_str(text).unwrap();
    vectors[kind].as_array().unwrap().clone()
}

fn follow(kind: &str) -> Vec<Value> {
    vectors(include_str!("../../../../test/vectors/follow.json"), kind)
}

fn live(kind: &str) -> Vec<Value> {
    vectors(include_str!("../../../../test/vectors/live-records.json"), kind)
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().unwrap();
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn read(file: &Value) -> Result<(VxlReader, Vec<Record>), VxlError> {
    let mut reader = VxlReader::default();
    reader.feed(&bytes(file)).map(|records| (reader, records))
}

fn chunks(records: &[Record]) -> Vec<&Chunk> {
    records.iter().filter_map(|record| record.chunk.as_ref()).collect()
}

fn pairs(ranges: &[ByteRange]) -> Value {
    ranges.iter().map(|range| json!([range.start, range.end])).collect()
}

fn check_places(chunk: &Chunk, expected: &Value) {
    assert_eq!(pairs(&chunk.reliable), expected["reliable"]);
    let frames: Vec<_> = expected["frames"].as_array().unwrap().iter().map(|frame| frame["ranges"].clone()).collect();
    assert_eq!(chunk.frames.iter().map(|frame| pairs(frame)).collect::<Vec<_>>(), frames);
}

#[test]
fn requests() {
    for vector in follow("requests") {
        let head = vector["head"].as_str().unwrap().as_bytes();
        let request = RequestReader::default().feed(head, &Limits::default()).unwrap().unwrap();
        let wish = request.follow.map(|FollowWish { deadline, group }| {
            json!({ "deadline": deadline.map(|it| it.as_millis() as u64), "group": group })
        });
        assert_eq!(json!([request.flow, wish]), json!([vector["flow"], vector["follow"]]), "{}", vector["name"]);
    }
    for vector in follow("refused") {
        let head = vector["head"].as_str().unwrap().as_bytes();
        let refusal = RequestReader::default().feed(head, &Limits::default()).unwrap_err();
        assert_eq!(u64::from(refusal.status.code()), vector["status"], "{}", vector["name"]);
    }
}

#[test]
fn responses() {
    for vector in follow("responses") {
        assert_eq!(follow_head(vector["flow"].as_u64()), vector["bytes"].as_str().unwrap());
    }
}

fn own_record(record: &Value) -> Vec<u8> {
    match number(&record["type"]) {
        16 => bytes_record(&bytes(&record["payload"])),
        18 => frames_record(number(&record["offset"]), &bytes(&record["payload"])),
        _ => sent_record(&Sent {
            chunk: number(&record["chunk"]),
            bytes: number(&record["bytes"]),
            datagrams: number(&record["datagrams"]),
            smoothed_rtt: Some(Duration::from_millis(number(&record["rtt"]))),
            window: number(&record["window"]),
        }),
    }
}

#[test]
fn bodies() {
    for vector in follow("bodies") {
        let (reader, records) = read(&vector["vxl"]).unwrap();
        let (mut body, mut verbatim) = (reader.head().to_vec(), records.iter());
        for expected in vector["records"].as_array().unwrap() {
            if number(&expected["type"]) >= 16 {
                body.extend(own_record(expected));
                continue;
            }
            let record = verbatim.next().unwrap();
            body.extend_from_slice(&record.raw);
            if let Some(chunk) = &record.chunk {
                assert_eq!([chunk.start, chunk.end - chunk.start], ["start", "length"].map(|it| number(&expected[it])));
                check_places(chunk, expected);
            }
        }
        assert!(verbatim.next().is_none());
        assert_eq!(body, bytes(&vector["bytes"]), "{}", vector["name"]);
    }
}

#[test]
fn datagrams_have_bytes_of_one_frame() {
    for vector in follow("layouts") {
        let (_, records) = read(&vector["vxl"]).unwrap();
        let (mut offset, size) = (0, number(&vector["datagramSize"]) as usize);
        for (chunk, expected) in chunks(&records).into_iter().zip(vector["chunks"].as_array().unwrap()) {
            let (lengths, id) = (chunk.frame_lengths(), FlowId { number: number(&vector["flow"]), part: 1 });
            let length: u64 = lengths.iter().sum();
            let mut flow = Flow::of_frames(id, offset, &lengths, size, b"");
            flow.push(&vec![0; length as usize]);
            let mut found = Vec::new();
            while let Some(datagram) = flow.next_datagram() {
                let (_, place, payload) = parse_datagram(&datagram.bytes).unwrap();
                assert!(datagram.bytes.len() <= size);
                found.push(json!([place, payload.len()]));
                flow.commit(datagram.payload, false);
            }
            assert!(flow.finished());
            assert_eq!(json!(found), expected["datagrams"], "{}", vector["name"]);
            offset += length;
        }
    }
}

#[test]
fn live_records() {
    for vector in live("good") {
        let (reader, records) = read(&vector["bytes"]).unwrap();
        let (found, expected) = (chunks(&records), vector["chunks"].as_array().unwrap());
        assert_eq!(found.len(), expected.len(), "{}", vector["name"]);
        for (chunk, expected) in found.iter().zip(expected) {
            assert_eq!(json!([chunk.start, chunk.end]), expected["range"]);
            check_places(chunk, expected);
        }
        assert_eq!(json!(reader.ended().then_some(reader.available())), vector["length"], "{}", vector["name"]);
    }
}

#[test]
fn malformed_files() {
    for vector in live("bad").into_iter().chain(follow("malformed")) {
        assert!(read(&vector["bytes"]).is_err(), "{}", vector["name"]);
    }
}
