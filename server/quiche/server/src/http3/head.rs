//! Heads of requests and responses, as header blocks (RFC 9114 section 4.3, RFC 9204).

use quiche::h3::{Header, NameValue, qpack};
use voxel_protocol::error::Status;
use voxel_protocol::framing::headers_frame;
use voxel_protocol::head::Headers;

/// Bytes that a literal field takes beside its name and its value, at most.
const ENCODE_OVERHEAD_BYTES: usize = 64;

/// Fields that mean something in HTTP/1.1 only (RFC 9114 section 4.2).
const OF_CONNECTION: [&[u8]; 5] = [b"connection", b"keep-alive", b"proxy-connection", b"transfer-encoding", b"upgrade"];

/// A request's head.
#[derive(Debug, Default)]
pub struct Head {
    pub method: String,
    /// The field `:path`.
    pub target: String,
    pub authority: String,
    /// The field `:protocol` of an extended CONNECT (RFC 9220).
    pub protocol: Option<String>,
    pub headers: Headers,
    pub content_length: Option<u64>,
}

/// Why a header block is not a request's head.
pub enum DecodeError {
    TooLong,
    /// QPACK cannot read it.
    Undecodable,
    Malformed,
}

/// The head in a header block of at most `limit` bytes, decoded.
pub fn decode_head(block: &[u8], limit: usize) -> Result<Head, DecodeError> {
    head_of(&decode(block, limit)?).ok_or(DecodeError::Malformed)
}

/// Checks a header block of trailers.
pub fn check_trailers(block: &[u8], limit: usize) -> Result<(), DecodeError> {
    let fields = decode(block, limit)?;
    let valid = fields.iter().all(|field| is_valid(field.name(), field.value()) && !field.name().starts_with(b":"));
    if valid { Ok(()) } else { Err(DecodeError::Malformed) }
}

fn decode(block: &[u8], limit: usize) -> Result<Vec<Header>, DecodeError> {
    let fields = qpack::Decoder::new().decode(block, limit as u64).map_err(|error| match error {
        qpack::Error::HeaderListTooLarge => DecodeError::TooLong,
        _ => DecodeError::Undecodable,
    })?;
    if fields.iter().any(|field| field.name().is_empty()) {
        return Err(DecodeError::Undecodable); // As other decoders have it.
    }
    Ok(fields)
}

/// Whether a field is valid (RFC 9114 section 4.2): no upper case, nothing of a connection, no control characters.
fn is_valid(name: &[u8], value: &[u8]) -> bool {
    let token = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"!#$%&'*+-.^_`|~".contains(byte);
    let token_name = name.strip_prefix(b":").unwrap_or(name);
    let of_connection = OF_CONNECTION.contains(&name) || (name == b"te" && !value.eq_ignore_ascii_case(b"trailers"));
    let blank = |byte: Option<&u8>| byte.is_some_and(|byte| matches!(byte, b' ' | b'\t'));
    let visible = value.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~' | 0x80..));
    !token_name.is_empty()
        && token_name.iter().all(token)
        && visible
        && !blank(value.first())
        && !blank(value.last())
        && !of_connection
}

/// The head that fields make (RFC 9114 section 4.3); `None` if malformed.
fn head_of(fields: &[Header]) -> Option<Head> {
    let mut head = Head::default();
    let (mut scheme, mut lengths) = (String::new(), Vec::new());
    let mut pseudo_allowed = true;
    for field in fields {
        let (name, value) = (std::str::from_utf8(field.name()).ok()?, field.value());
        if !is_valid(field.name(), value) {
            return None;
        }
        if !name.starts_with(':') {
            pseudo_allowed = false;
            head.headers.add(name, value);
            if name == "content-length" {
                lengths.push(value);
            }
            continue;
        }
        let text: String = value.iter().map(|byte| char::from(*byte)).collect();
        let place = match name {
            ":method" => &mut head.method,
            ":path" => &mut head.target,
            ":authority" => &mut head.authority,
            ":scheme" => &mut scheme,
            ":protocol" if head.protocol.is_none() => head.protocol.insert(String::new()),
            _ => return None,
        };
        if !pseudo_allowed || !place.is_empty() || (text.is_empty() && name != ":protocol") {
            return None;
        }
        *place = text;
    }
    head.content_length = match lengths[..] {
        [] => None,
        [length] if length.iter().all(u8::is_ascii_digit) => Some(std::str::from_utf8(length).ok()?.parse().ok()?),
        _ => return None,
    };
    let host = head.headers.get("host").unwrap_or(&head.authority).to_owned();
    if head.authority.is_empty() {
        head.authority = host;
    } else if host != head.authority {
        return None;
    }
    let located = !scheme.is_empty() && !head.target.is_empty();
    let complete = match (head.method.as_str(), &head.protocol) {
        ("CONNECT", None) => scheme.is_empty() && head.target.is_empty(),
        ("CONNECT", Some(_)) => located,
        (method, None) => !method.is_empty() && located,
        (_, Some(_)) => false,
    };
    (complete && !head.authority.is_empty()).then_some(head)
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
        let place = [(":scheme", "https"), (":path", "/voxel"), (":authority", "b")];
        let fields = [&[(":method", "CONNECT"), (":protocol", "webtransport")][..], &place].concat();
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
