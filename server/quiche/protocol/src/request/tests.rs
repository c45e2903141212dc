use proptest::prelude::*;

use super::*;

fn read(data: &[u8]) -> Result<VoxelRequest, Status> {
    let mut reader = RequestReader::default();
    match reader.feed(data, &Limits::default()) {
        Ok(Some(request)) => Ok(request),
        Ok(None) => Err(reader.end().status),
        Err(error) => Err(error.status),
    }
}

fn head(fields: &str) -> Vec<u8> {
    format!("GET /a HTTP/1.1\r\nhost: x\r\n{fields}\r\n").into_bytes()
}

#[test]
fn the_request_of_the_protocol_document() {
    let head = b"GET /bbb/q07.mp4 HTTP/1.1\r\nhost: media.example\r\n\
        range: bytes=1048-9120,20480-20500,9121-14000\r\nx-voxel-unreliable: ?1;flow=17\r\n\
        x-voxel-deadline: 3200\r\ncmcd-request: bl=21300\r\n\r\n";
    let range = |first, last| RangeSpec::From { first, last: Some(last) };
    let mut headers = Headers::default();
    for (name, value) in [
        ("host", "media.example"),
        ("x-voxel-unreliable", "?1;flow=17"),
        ("x-voxel-deadline", "3200"),
        ("cmcd-request", "bl=21300"),
    ] {
        headers.add(name, value.as_bytes());
    }
    let expected = VoxelRequest {
        target: "/bbb/q07.mp4".to_owned(),
        ranges: Some(vec![range(1048, 9120), range(20480, 20500), range(9121, 14000)]),
        flow: Some(17),
        deadline: Some(Duration::from_millis(3200)),
        if_match: None,
        after: None,
        follow: None,
        parity: None,
        headers,
    };
    assert_eq!(expected.status(), Status::PartialContent);
    assert_eq!(read(head), Ok(expected));
}

#[test]
fn the_head_is_limited_complete_or_not() {
    let long = head(&format!("x-long: {}\r\n", "x".repeat(64 * 1024)));
    assert_eq!(read(&long), Err(Status::HeaderFieldsTooLarge));
    assert_eq!(read(&long[..long.len() - 4]), Err(Status::HeaderFieldsTooLarge));
}

proptest! {
    #[test]
    fn a_head_may_come_in_pieces(size in 1usize..40) {
        let data = head("range: bytes=5-9\r\n");
        let mut reader = RequestReader::default();
        let mut results: Vec<_> =
            data.chunks(size).map(|piece| reader.feed(piece, &Limits::default()).unwrap()).collect();
        let last = results.pop().unwrap().unwrap();
        prop_assert_eq!(last.ranges, Some(vec![RangeSpec::From { first: 5, last: Some(9) }]));
        prop_assert!(results.iter().all(Option::is_none));
    }

    #[test]
    fn any_bytes_are_read_or_refused(data in proptest::collection::vec(any::<u8>(), 0..300)) {
        let fields = [b"GET /a HTTP/1.1\r\nhost: x\r\n", &data[..], b"\r\n\r\n"].concat();
        for candidate in [&data[..], &fields] {
            if let Err(status) = read(candidate) {
                let expected = [Status::BadRequest, Status::MethodNotAllowed, Status::HeaderFieldsTooLarge];
                prop_assert!(expected.contains(&status));
            }
        }
    }
}
