//! What ordinary HTTP brings: paths never leave the folder, authorities and origins are read or refused.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use voxel_protocol::head::HeadReader;
use voxel_protocol::origin::{OriginPolicy, host_name};
use voxel_protocol::path;

const HEAD_LIMIT: usize = 1024;

fuzz_target!(|data: &[u8]| {
    let Ok(Some(head)) = HeadReader::default().feed(data, HEAD_LIMIT) else { return };
    assert!(head.target.bytes().all(|byte| byte.is_ascii_graphic()));
    if let Ok(segments) = path::decode(&head.target) {
        for segment in segments {
            assert!(!segment.starts_with(b"."), "a dotfile or a way out");
            assert!(!segment.contains(&b'/') && !segment.contains(&0));
        }
    }
    let authority = head.headers.get("host").unwrap_or_default();
    let origin = head.headers.get("origin");
    if let Some(host) = host_name(authority) {
        assert!(!host.is_empty());
    }
    let own_hosts = BTreeSet::from(["media.example".to_owned()]);
    let policy = OriginPolicy::new(&BTreeSet::new(), true, Some(own_hosts)).expect("no origin is malformed");
    if policy.check_host(authority).is_ok() && !policy.allows(origin, authority) {
        assert!(policy.response_headers(origin, authority).iter().all(|(name, _)| *name == "vary"));
    }
});
