//! A request path, decoded.

use crate::error::HttpError;

/// The path's segments, each percent-decoded once; the last is empty for a folder.
///
/// Refuses dotfiles, `..`, an encoded slash or NUL and empty segments with 404: the server's own links have none of
/// these.
pub fn decode(path: &str) -> Result<Vec<Vec<u8>>, HttpError> {
    let relative = path.strip_prefix('/').ok_or_else(|| HttpError::bad_request("malformed request target"))?;
    let segments: Vec<_> = relative.split('/').map(percent_decoded).collect();
    let hidden = |segment: &Vec<u8>| segment.starts_with(b".") || segment.iter().any(|it| matches!(it, b'/' | 0));
    let last = segments.len() - 1;
    if segments.iter().any(hidden) || segments[..last].iter().any(Vec::is_empty) {
        return Err(HttpError::not_found());
    }
    Ok(segments)
}

/// RFC 3986 section 2.1. A `%` that does not begin an escape is kept.
pub fn percent_decoded(text: &str) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut rest = text.as_bytes();
    let mut decoded = Vec::with_capacity(rest.len());
    while let Some((first, after)) = rest.split_first() {
        if let (b'%', Some(high), Some(low)) = (first, digit(after.first()), digit(after.get(1))) {
            decoded.push((high << 4 | low) as u8);
            rest = &after[2..];
        } else {
            decoded.push(*first);
            rest = after;
        }
    }
    decoded
}

/// RFC 3986 section 2.1, all but the unreserved characters.
pub fn percent_encoded(segment: &[u8]) -> String {
    let encoded = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    segment.iter().map(encoded).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_segment_leads_elsewhere(path in "[/.%25eaf\\\\]{0,30}") {
            if let Ok(segments) = decode(&path) {
                for segment in segments {
                    prop_assert!(!segment.starts_with(b".") && !segment.contains(&b'/'));
                }
            }
        }
    }

    #[test]
    fn segments_are_decoded_once() {
        assert_eq!(decode("/a%20b/%252e").unwrap(), [b"a b".to_vec(), b"%2e".to_vec()]);
        assert_eq!(decode("/100%/%zz").unwrap(), [b"100%".to_vec(), b"%zz".to_vec()]);
    }
}
