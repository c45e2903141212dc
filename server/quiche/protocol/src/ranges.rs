//! The `Range` header (RFC 9110 section 14) over one file.

use crate::error::{HttpError, Status};
use crate::limits::Limits;

/// Half-open interval `[start, end)` in bytes from the start of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    pub start: u64,
    pub end: u64,
}

impl ByteRange {
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

/// A requested range, before the size of the file is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeSpec {
    /// The range `first-last`, both included; `first-` goes to the end.
    From { first: u64, last: Option<u64> },
    /// The last bytes, `-length`.
    Suffix { length: u64 },
}

/// The most digits of a position: clients that have only floating-point numbers represent them exactly (RFC 9651
/// section 3.3.1), and no file is as long.
const MAX_DIGITS: usize = 15;

/// The last position of a range that is to be followed without an end (RFC 8673 section 2): 2^53 - 1.
const ENDLESS: &str = "9007199254740991";

/// The ranges of a `Range` header in their order; `None` for units other than bytes, which are ignored.
/// Refuses a malformed header with 400 and more than `limits.ranges` with 431.
pub fn parse_range_header(value: &str, limits: &Limits) -> Result<Option<Vec<RangeSpec>>, HttpError> {
    let (unit, ranges) = value.split_once('=').ok_or_else(malformed)?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return Ok(None);
    }
    if ranges.split(',').nth(limits.ranges).is_some() {
        return Err(HttpError::too_many_ranges(limits));
    }
    ranges.split(',').map(parse_range).collect::<Result<_, _>>().map(Some)
}

fn parse_range(text: &str) -> Result<RangeSpec, HttpError> {
    let (first, last) = text.trim_matches([' ', '\t']).split_once('-').ok_or_else(malformed)?;
    if first.is_empty() {
        return Ok(RangeSpec::Suffix { length: number(last)? });
    }
    let first = number(first)?;
    let last = match last {
        "" => None,
        ENDLESS => Some((1 << 53) - 1),
        digits => Some(number(digits)?),
    };
    if last.is_some_and(|last| last < first) {
        return Err(HttpError::bad_request("malformed range header: a range ends before it starts"));
    }
    Ok(RangeSpec::From { first, last })
}

fn number(digits: &str) -> Result<u64, HttpError> {
    if digits.is_empty() || digits.len() > MAX_DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(malformed());
    }
    digits.parse().map_err(|_| malformed())
}

fn malformed() -> HttpError {
    HttpError::bad_request("malformed range header")
}

/// The ranges of a VOXEL request in request order. Every one must lie inside the file: a shortened range would
/// move all bytes after it in the concatenation. Refuses with 416.
pub fn exact_ranges(specs: &[RangeSpec], size: u64, limits: &Limits) -> Result<Vec<ByteRange>, HttpError> {
    let exact = |spec: &RangeSpec| {
        let inside = !matches!(spec, RangeSpec::From { last: Some(last), .. } if *last >= size);
        resolve(*spec, size).filter(|_| inside)
    };
    let ranges: Option<Vec<_>> = specs.iter().map(exact).collect();
    bounded(ranges.ok_or_else(|| unsatisfiable("a range lies outside the file", size))?, size, limits)
}

/// The ranges of an HTTP request as RFC 9110 has it: shortened to the end of the file, and without those that
/// begin after it. Refuses with 416 if no range is left.
pub fn satisfiable_ranges(specs: &[RangeSpec], size: u64, limits: &Limits) -> Result<Vec<ByteRange>, HttpError> {
    let ranges: Vec<_> = specs.iter().filter_map(|spec| resolve(*spec, size)).collect();
    if ranges.is_empty() {
        return Err(unsatisfiable("no range lies inside the file", size));
    }
    bounded(ranges, size, limits)
}

/// The part to be followed of a file that grows, of an HTTP request, with `size` bytes by now, which begins at what is
/// there and ends beyond it (RFC 8673). `None`: the request is for what is there.
pub fn followed_range(specs: &[RangeSpec], size: u64) -> Option<ByteRange> {
    match specs {
        [RangeSpec::From { first, last: Some(last) }] if *first <= size && *last >= size => {
            Some(ByteRange { start: *first, end: last + 1 })
        }
        _ => None,
    }
}

/// The ranges of an HTTP request for a file that grows, with `size` bytes by now. Refuses with 416: where it ends
/// nobody knows.
pub fn known_ranges(specs: &[RangeSpec], size: u64, limits: &Limits) -> Result<Vec<ByteRange>, HttpError> {
    let known: Vec<_> = specs.iter().filter(|spec| !matches!(spec, RangeSpec::Suffix { .. })).copied().collect();
    satisfiable_ranges(&known, size, limits)
}

fn resolve(spec: RangeSpec, size: u64) -> Option<ByteRange> {
    let (start, end) = match spec {
        RangeSpec::Suffix { length } => (size.saturating_sub(length), size),
        RangeSpec::From { first, last } => (first, last.map_or(size, |last| size.min(last + 1))),
    };
    (start < end).then_some(ByteRange { start, end })
}

fn bounded(ranges: Vec<ByteRange>, size: u64, limits: &Limits) -> Result<Vec<ByteRange>, HttpError> {
    // A sparse file may be long enough for the sum to need more than 64 bits.
    let granted: u128 = ranges.iter().map(|range| u128::from(range.len())).sum();
    if granted > u128::from(limits.overlap) * u128::from(size) {
        return Err(unsatisfiable("the ranges overlap too much", size));
    }
    Ok(ranges)
}

fn unsatisfiable(message: &str, size: u64) -> HttpError {
    HttpError::new(Status::RangeNotSatisfiable, message).with_header("content-range", format!("bytes */{size}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(value: &str) -> Result<Option<Vec<RangeSpec>>, Status> {
        parse_range_header(value, &Limits::default()).map_err(|error| error.status)
    }

    proptest! {
        #[test]
        fn exact_ranges_lie_inside_and_keep_their_order(
            pairs in proptest::collection::vec((0u64..100, 0u64..100), 1..20), size in 0u64..120,
        ) {
            let specs: Vec<_> = pairs
                .iter()
                .map(|(a, b)| RangeSpec::From { first: *a.min(b), last: Some(*a.max(b)) })
                .collect();
            match exact_ranges(&specs, size, &Limits { overlap: 1000, ..Limits::default() }) {
                Ok(ranges) => {
                    prop_assert_eq!(ranges.len(), pairs.len());
                    for (range, (a, b)) in ranges.iter().zip(&pairs) {
                        prop_assert_eq!((range.start, range.end - 1), (*a.min(b), *a.max(b)));
                    }
                }
                Err(error) => {
                    prop_assert_eq!(error.status, Status::RangeNotSatisfiable);
                    prop_assert!(pairs.iter().any(|(a, b)| *a.max(b) >= size));
                }
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[0-9bytes=, \t*é-]{0,40}") {
            if let Err(status) = parse(&text) {
                prop_assert_eq!(status, Status::BadRequest);
            }
        }
    }

    #[test]
    fn ranges_beyond_the_limit_are_refused_without_reading_them() {
        assert_eq!(parse(&format!("bytes={}", vec!["0-0"; 4097].join(","))), Err(Status::HeaderFieldsTooLarge));
        assert!(parse(&format!("bytes={}", vec!["0-0"; 4096].join(","))).is_ok());
    }
}
