//! The vectors that all three languages share (test/vectors/protocol.json).

use std::time::Duration;

use serde_json::Value;
use voxel_protocol::cmsd::Figures;
use voxel_protocol::conditions::check_unchanged;
use voxel_protocol::flow::{Flow, parse_datagram};
use voxel_protocol::limits::Limits;
use voxel_protocol::parity::Parity;
use voxel_protocol::ranges::{RangeSpec, exact_ranges, parse_range_header};
use voxel_protocol::request::{RequestReader, VoxelRequest};
use voxel_protocol::response::{unreliable_end, unreliable_head};
use voxel_protocol::varint;

fn vectors(of: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../../../../test/vectors/protocol.json")).unwrap();
    all[of].as_array().unwrap().clone()
}

fn bytes(hexadecimal: &Value) -> Vec<u8> {
    let digits = hexadecimal.as_str().unwrap().as_bytes();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[test]
fn datagrams() {
    for vector in vectors("datagrams") {
        let (flow, offset) = (vector["flow"].as_u64().unwrap(), vector["offset"].as_u64().unwrap());
        let (payload, whole) = (bytes(&vector["payload"]), bytes(&vector["bytes"]));
        assert_eq!(parse_datagram(&whole), Some((flow, offset, &payload[..])));
        let mut written = Vec::new();
        varint::encode(flow, &mut written);
        varint::encode(offset, &mut written);
        written.extend(payload);
        assert_eq!(written, whole);
    }
    for malformed in vectors("malformedDatagrams") {
        assert_eq!(parse_datagram(&bytes(&malformed)), None, "{malformed}");
    }
}

fn spec(pair: &Value) -> RangeSpec {
    match (pair[0].as_u64(), pair[1].as_u64()) {
        (Some(first), last) => RangeSpec::From { first, last },
        (None, length) => RangeSpec::Suffix { length: length.unwrap() },
    }
}

#[test]
fn requests() {
    for vector in vectors("written").into_iter().chain(vectors("read")) {
        let ranges = vector["ranges"].as_array().map(|ranges| ranges.iter().map(spec).collect());
        let deadline = vector["deadline"].as_u64().map(Duration::from_millis);
        let head = vector["head"].as_str().unwrap().as_bytes();
        let request = RequestReader::default().feed(head, &Limits::default()).unwrap().unwrap();
        assert_eq!(request.target, vector["target"], "{}", vector["name"]);
        assert_eq!(
            (request.ranges, request.flow, request.deadline, request.after),
            (ranges, vector["flow"].as_u64(), deadline, vector["after"].as_u64()),
            "{}",
            vector["name"]
        );
    }
    for vector in vectors("refused") {
        let head = vector["head"].as_str().unwrap().as_bytes();
        let refusal = RequestReader::default().feed(head, &Limits::default()).unwrap_err();
        assert_eq!(u64::from(refusal.status.code()), vector["status"], "{}", vector["name"]);
    }
}

#[test]
fn granted_ranges() {
    for vector in vectors("ranges") {
        let specs = parse_range_header(vector["range"].as_str().unwrap(), &Limits::default()).unwrap().unwrap();
        let granted = exact_ranges(&specs, vector["size"].as_u64().unwrap(), &Limits::default())
            .ok()
            .map(|ranges| ranges.iter().map(|range| [range.start, range.end]).collect::<Vec<_>>());
        assert_eq!(serde_json::to_value(granted).unwrap(), vector["granted"], "{}", vector["range"]);
    }
}

#[test]
fn responses() {
    for vector in vectors("responses") {
        let number = |name: &str| vector[name].as_u64().unwrap();
        let ranges = (number("status") == 206).then(Vec::new);
        let request = VoxelRequest { ranges, ..VoxelRequest::default() };
        let figures = Figures {
            delivery_rate: vector["etp"].as_u64().map(|etp| etp as f64 * 125.0),
            smoothed_rtt: vector["rtt"].as_u64().map(Duration::from_millis),
        };
        let etag = vector["etag"].as_str().unwrap();
        let flow = Flow::new(number("flow"), number("length"), 1200, b"");
        let flow = match vector["parity"].as_str() {
            Some(parity) => flow.with_parity(Parity::parse(parity).unwrap(), vec![number("length")]),
            None => flow,
        };
        let response = unreliable_head(&request, &flow, etag, &figures)
            + &unreliable_end(number("sent"), number("datagrams"), &figures, vector["sentParity"].as_u64());
        assert_eq!(response, vector["bytes"].as_str().unwrap());
    }
}

#[test]
fn if_match() {
    for vector in vectors("ifMatch") {
        let (value, etag) = (vector["value"].as_str().unwrap(), vector["etag"].as_str().unwrap());
        assert_eq!(check_unchanged(Some(value), etag).is_ok(), vector["matches"].as_bool().unwrap(), "{value}");
    }
}
