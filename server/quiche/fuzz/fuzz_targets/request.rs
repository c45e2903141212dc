//! Request heads: the same answer however the bytes are cut, and what is accepted is within the limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use voxel_protocol::flow::Flow;
use voxel_protocol::limits::Limits;
use voxel_protocol::parity::Parity;
use voxel_protocol::request::RequestReader;

fuzz_target!(|data: &[u8]| {
    let Some((piece, data)) = data.split_first() else { return };
    let limits = Limits { head_bytes: 1024, ranges: 16, ..Limits::default() };
    let whole = RequestReader::default().feed(data, &limits);
    let mut reader = RequestReader::default();
    let in_pieces = data
        .chunks(usize::from(*piece).max(1))
        .map(|piece| reader.feed(piece, &limits))
        .find(|result| !matches!(result, Ok(None)))
        .unwrap_or(Ok(None));
    match (whole, in_pieces) {
        (Ok(whole), Ok(in_pieces)) => {
            assert_eq!(whole, in_pieces);
            let Some(request) = whole else { return };
            assert!(request.target.bytes().all(|byte| byte.is_ascii_graphic()));
            if let Some(parity) = &request.parity {
                assert_eq!(Parity::parse(&parity.to_string()).as_ref(), Some(parity));
                let mut flow = Flow::new(1, 1000, 200, b"").with_parity(parity.clone(), vec![600, 400]);
                flow.push(&[7; 1000]);
                let mut sent = 0;
                while let Some(datagram) = flow.next_datagram() {
                    flow.commit(datagram.payload, data.len() % 2 == 0);
                    sent += datagram.payload;
                }
                // Parity is never more than the data, filled up to whole symbols.
                assert!(flow.finished() && (1000..=2 * 1000 + 2 * 200).contains(&sent));
            }
            assert!(request.ranges.is_none_or(|ranges| (1..=limits.ranges).contains(&ranges.len())));
        }
        (Err(whole), Err(in_pieces)) => assert_eq!(whole.status, in_pieces.status),
        (whole, in_pieces) => panic!("{whole:?} as a whole, {in_pieces:?} in pieces"),
    }
});
