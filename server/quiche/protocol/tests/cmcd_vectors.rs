//! What servers read of CMCD, against the vectors that both share (test/vectors/cmcd.json).

use serde_json::{Value, json};
use voxel_protocol::cmcd::{Report, text_of};
use voxel_protocol::head::Headers;

#[test]
fn reports() {
    let all: Vec<Value> = serde_json::from_str(include_str!("../../../../test/vectors/cmcd.json")).unwrap();
    for vector in all {
        let mut headers = Headers::default();
        for (name, value) in vector["headers"].as_object().unwrap() {
            headers.add(name, value.as_str().unwrap().as_bytes());
        }
        let text = text_of(vector["target"].as_str().unwrap(), &headers);
        let report = text.and_then(|text| Report::parse(&text)).map(|report| {
            json!({
                "startup": report.startup,
                "hasStalled": report.has_stalled,
                "stall": report.stall,
                "bitrate": report.bitrate,
                "score": report.score,
                "namesSession": report.names_session,
            })
        });
        assert_eq!(json!(report), vector["report"], "{}", vector["what"]);
    }
}
