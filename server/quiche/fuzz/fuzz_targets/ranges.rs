//! Range sets: what is granted lies inside the file and is not much longer than it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use voxel_protocol::limits::Limits;
use voxel_protocol::ranges::{exact_ranges, parse_range_header, satisfiable_ranges};

fuzz_target!(|input: (u64, &str)| {
    let (size, header) = input;
    let limits = Limits::default();
    let Ok(Some(specs)) = parse_range_header(header, &limits) else { return };
    assert!((1..=limits.ranges).contains(&specs.len()));
    let exact = exact_ranges(&specs, size, &limits);
    let satisfiable = satisfiable_ranges(&specs, size, &limits);
    for ranges in [&exact, &satisfiable].into_iter().flatten() {
        assert!(!ranges.is_empty());
        assert!(ranges.iter().all(|range| range.start < range.end && range.end <= size));
        let granted: u128 = ranges.iter().map(|range| u128::from(range.len())).sum();
        assert!(granted <= u128::from(size) * u128::from(limits.overlap));
    }
    if let Ok(exact) = exact {
        assert_eq!(exact.len(), specs.len());
        assert_eq!(satisfiable.ok(), Some(exact));
    }
});
