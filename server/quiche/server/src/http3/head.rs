//! Heads of requests and responses, as header blocks (RFC 9114 section 4.3, RFC 9204).

use quiche::h3::{Header, NameValue, qpack};
use voxel_protocol::error::Status;
use voxel_protocol::framing::headers_frame;
use voxel_protocol::head::Headers;

/// A literal field takes a few bytes beside its name and its value.
const ENCODE_OVERHEAD_BYTES: usize = 64;

/// A request's head.
#[derive(Debug, Default)]
pub struct Head {
    pub method: String,
    /// `:path`
    pub target: String,
    pub authority: String,
    /// `:protocol` of an extended CONNECT (RFC 9220).
    pub protocol: Option<String>,
    pub headers: Headers,
}

/// Why a header block is not a request's head.
pub enum DecodeError {
    TooLong,
    Malformed,
}

/// The head in a header block of at most `limit` bytes, decoded.
pub fn decode_head(block: &[u8], limit: usize) -> Result<Head, DecodeError> {
    let fields = qpack::Decoder::new().decode(block, limit as u64).map_err(|error| match error {
        qpack::Error::HeaderListTooLarge => DecodeError::TooLong,
        _ => DecodeError::Malformed,
    })?;
    head_of(&fields).ok_or(DecodeError::Malformed)
}

/// RFC 9114 section 4.3; `None` if malformed.
fn head_of(fields: &[Header]) -> Option<Head> {
    let mut head = Head::default();
    let mut pseudo_allowed = true;
    for field in fields {
        let (name, value) = (std::str::from_utf8(field.name()).ok()?, field.value());
        if name.is_empty() || name.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii_graphic()) {
            return None;
        }
        if value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
            return None;
        }
        if !name.starts_with(':') {
            pseudo_allowed = false;
            head.headers.add(name, value);
            continue;
        }
        let text: String = value.iter().map(|byte| char::from(*byte)).collect();
        let place = match name {
            ":method" => &mut head.method,
            ":path" => &mut head.target,
            ":authority" => &mut head.authority,
            ":scheme" => continue,
            ":protocol" if head.protocol.is_none() => head.protocol.insert(String::new()),
            _ => return None,
        };
        if !pseudo_allowed || !place.is_empty() {
            return None;
        }
        *place = text;
    }
    if head.authority.is_empty() {
        head.headers.get("host").unwrap_or_default().clone_into(&mut head.authority);
    }
    let path_needed = head.method != "CONNECT" || head.protocol.is_some();
    let complete = !head.method.is_empty() && (!path_needed || !head.target.is_empty());
    complete.then_some(head)
}

/// A HEADERS frame.
pub fn encode_response_head<'a>(status: Status, headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<u8> {
    let mut fields = vec![(":status".to_owned(), status.code().to_string().into_bytes())];
    // ISO-8859-1, as they came.
    let latin1 = |value: &str| value.chars().map(|it| it as u8).collect::<Vec<_>>();
    fields.extend(headers.into_iter().map(|(name, value)| (name.to_owned(), latin1(value))));
    let length: usize = fields.iter().map(|(name, value)| name.len() + value.len() + ENCODE_OVERHEAD_BYTES).sum();
    let mut block = vec![0; length];
    // It fits: a literal takes its length and a few bytes.
    let used = qpack::Encoder::new().encode(&fields, &mut block).unwrap_or_default();
    headers_frame(&block[..used])
}

#[cfg(test)]
mod tests {
    use voxel_protocol::framing::{StreamEvent, StreamReader};

    use super::*;

    fn head(fields: &[(&str, &str)]) -> Option<Head> {
        let fields: Vec<_> =
            fields.iter().map(|(name, value)| Header::new(name.as_bytes(), value.as_bytes())).collect();
        head_of(&fields)
    }

    #[test]
    fn a_request_and_a_connect() {
        let request = head(&[(":method", "GET"), (":scheme", "https"), (":path", "/a"), ("host", "b")]).unwrap();
        assert_eq!((request.target.as_str(), request.authority.as_str()), ("/a", "b"));
        let fields = [(":method", "CONNECT"), (":protocol", "webtransport"), (":path", "/voxel"), (":authority", "b")];
        assert_eq!(head(&fields).unwrap().protocol.as_deref(), Some("webtransport"));
    }

    #[test]
    fn malformed_heads_are_refused() {
        for fields in [
            &[(":method", "GET")][..],
            &[(":method", "GET"), (":path", "/"), (":path", "/")],
            &[(":method", "GET"), (":path", "/"), ("Host", "a")],
            &[(":method", "GET"), ("a", "b"), (":path", "/")],
            &[(":method", "GET"), (":path", "/"), (":unknown", "")],
            &[(":method", "GET"), (":path", "/"), ("a", "b\r\nc: d")],
        ] {
            assert!(head(fields).is_none(), "{fields:?}");
        }
    }

    #[test]
    fn a_response_head_comes_back() {
        let long = "x".repeat(10_000);
        let frame = encode_response_head(Status::PartialContent, [("content-type", "video/mp4"), ("x-long", &long)]);
        let mut reader = StreamReader::new(20_000);
        let events = reader.feed(&frame).unwrap();
        let [StreamEvent::Headers(block)] = &events[..] else { panic!("{events:?}") };
        let fields = qpack::Decoder::new().decode(block, 20_000).unwrap();
        assert_eq!(fields[0], Header::new(b":status", b"206"));
        assert_eq!(fields[2], Header::new(b"x-long", long.as_bytes()));
    }
}
