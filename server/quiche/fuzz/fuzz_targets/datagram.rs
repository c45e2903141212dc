//! Datagram headers: what is read, written again, is the same; a flow's datagrams come back as they were cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use voxel_protocol::flow::{Flow, parse_datagram};
use voxel_protocol::varint;

fuzz_target!(|data: &[u8]| {
    let Some((number, offset, payload)) = parse_datagram(data) else { return };
    let mut shortest = Vec::new();
    varint::encode(number, &mut shortest);
    varint::encode(offset, &mut shortest);
    shortest.extend_from_slice(payload);
    assert!(shortest.len() <= data.len());
    assert_eq!(parse_datagram(&shortest), Some((number, offset, payload)));

    let mut flow = Flow::new(number, payload.len() as u64, 32, b"");
    flow.push(payload);
    let mut body = Vec::new();
    while let Some(datagram) = flow.next_datagram() {
        assert!(datagram.bytes.len() <= 32);
        let (again, offset, data) = parse_datagram(&datagram.bytes).expect("a flow's datagram");
        assert_eq!((again, offset, data.len()), (number, body.len() as u64, datagram.payload));
        body.extend_from_slice(data);
        flow.commit(datagram.payload, true);
    }
    assert_eq!(body, payload);
});
