//! Codec, header and layout of parity, against the vectors that all three languages share (test/vectors/coding.json).

use serde_json::{Value, json};
use voxel_protocol::coding::Encoder;
use voxel_protocol::parity::Parity;

fn vectors(of: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../../../../test/vectors/coding.json")).unwrap();
    all[of].as_array().unwrap().clone()
}

fn symbols(hexadecimal: &Value) -> Vec<Vec<u8>> {
    let bytes = |digits: &str| {
        let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
        pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
    };
    hexadecimal.as_array().unwrap().iter().map(|symbol| bytes(symbol.as_str().unwrap())).collect()
}

#[test]
fn codes() {
    for vector in vectors("codes") {
        let (data, parity) = (symbols(&vector["data"]), symbols(&vector["parity"]));
        let mut encoder = Encoder::new(parity.len(), data[0].len());
        for (index, symbol) in (0..).zip(&data) {
            encoder.add(index, symbol);
        }
        assert_eq!(encoder.parity(), parity.concat(), "{}", vector["name"]);
    }
}

#[test]
fn headers() {
    for vector in vectors("headers") {
        let parity = Parity::parse(vector["header"].as_str().unwrap());
        let parsed = parity.as_ref().map_or(Value::Null, |parity| {
            json!({
                "amounts": parity.amounts,
                "block": parity.block,
                "symbol": parity.symbol,
                "always": parity.always,
            })
        });
        assert_eq!(parsed, vector["parsed"], "{}", vector["header"]);
        assert_eq!(parity.map(|parity| parity.to_string()).as_deref(), vector["echo"].as_str());
    }
}

#[test]
fn layouts() {
    for vector in vectors("layouts") {
        let parity = Parity::parse(vector["header"].as_str().unwrap()).unwrap();
        let ranges = vector["ranges"].as_array().unwrap().iter().map(|length| length.as_u64().unwrap()).collect();
        let blocks = parity.blocks(ranges).map(|block| {
            json!({
                "start": block.start,
                "end": block.end,
                "symbols": block.symbols,
                "symbolBytes": block.symbol_bytes,
                "parity": block.parity,
                "parityStart": block.parity_start,
            })
        });
        assert_eq!(Value::Array(blocks.collect()), vector["blocks"], "{}", vector["header"]);
    }
}
