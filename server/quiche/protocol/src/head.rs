//! The head of an HTTP/1.1 request (RFC 9112), on a TCP connection or a VOXEL stream.

use std::collections::BTreeMap;

use crate::error::HttpError;

/// Lower-case names to values, repeated ones joined by commas (RFC 9110 section 5.3), cookies by semicolons (RFC 9114 section
/// 4.2.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(BTreeMap<String, String>);

impl Headers {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The same without that field.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.0.remove(name);
        self
    }

    /// Adds a field; `value` is in ISO-8859-1, as in HTTP.
    pub fn add(&mut self, name: &str, value: &[u8]) {
        let text: String = value.iter().copied().map(char::from).collect();
        let name = name.to_ascii_lowercase();
        let between = if name == "cookie" { "; " } else { ", " };
        self.0
            .entry(name)
            .and_modify(|known| {
                known.push_str(between);
                known.push_str(&text);
            })
            .or_insert(text);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpVersion {
    Http10,
    Http11,
}

/// A well-formed head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHead {
    pub method: String,
    /// Visible ASCII characters, not empty.
    pub target: String,
    pub version: HttpVersion,
    pub headers: Headers,
}

impl RequestHead {
    /// Whether a body follows (RFC 9112 section 6.3).
    pub fn announces_body(&self) -> bool {
        self.headers.get("transfer-encoding").is_some()
            || self.headers.get("content-length").is_some_and(|it| it.bytes().any(|digit| digit != b'0'))
    }
}

/// Collects bytes until a head is complete.
#[derive(Debug, Default)]
pub struct HeadReader {
    buffer: Vec<u8>,
    /// The head does not end before this position, so that no byte is searched twice.
    searched: usize,
}

impl HeadReader {
    /// The head when it is complete, until then `None`. Bytes after the head are kept, see [`HeadReader::has_more`].
    ///
    /// Refuses a malformed head with 400 and a head of more than `limit` bytes with 431; must not be fed again after
    /// that.
    pub fn feed(&mut self, data: &[u8], limit: usize) -> Result<Option<RequestHead>, HttpError> {
        self.buffer.extend_from_slice(data);
        let Some(length) = self.head_length() else {
            return if self.buffer.len() > limit { Err(HttpError::head_too_long()) } else { Ok(None) };
        };
        if length > limit {
            return Err(HttpError::head_too_long());
        }
        let head = parse(&self.buffer[..length])?;
        self.buffer.drain(..length);
        self.searched = 0;
        Ok(Some(head))
    }

    /// Whether bytes have arrived after the last head.
    pub fn has_more(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// The length of the head with the empty line at its end. A bare LF ends a line here, for `parse` to refuse it.
    fn head_length(&mut self) -> Option<usize> {
        for place in self.searched..self.buffer.len() {
            if self.buffer[place] == b'\n' {
                let after = &self.buffer[place + 1..];
                if after.starts_with(b"\n") {
                    return Some(place + 2);
                }
                if after.starts_with(b"\r\n") {
                    return Some(place + 3);
                }
            }
        }
        self.searched = self.buffer.len().saturating_sub(2);
        None
    }
}

fn parse(head: &[u8]) -> Result<RequestHead, HttpError> {
    // RFC 9112 section 2.2 lets a bare LF end a line; proxies differ, and what two read differently smuggles requests.
    if head.iter().enumerate().any(|(place, byte)| *byte == b'\n' && !head[..place].ends_with(b"\r")) {
        return Err(malformed());
    }
    let lines = head.split(|byte| *byte == b'\n').count();
    let mut fields = vec![httparse::EMPTY_HEADER; lines];
    let mut request = httparse::Request::new(&mut fields);
    let (Ok(httparse::Status::Complete(_)), Some(method), Some(target), Some(version)) =
        (request.parse(head), request.method, request.path, request.version)
    else {
        return Err(malformed());
    };
    if !target.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(malformed());
    }
    let count = |name: &str| request.headers.iter().filter(|field| field.name.eq_ignore_ascii_case(name)).count();
    let version = if version == 1 { HttpVersion::Http11 } else { HttpVersion::Http10 };
    let host_count_allowed = match version {
        HttpVersion::Http11 => 1..=1,
        HttpVersion::Http10 => 0..=1,
    };
    if !host_count_allowed.contains(&count("host")) || count("content-length") > 1 {
        return Err(malformed());
    }
    let mut headers = Headers::default();
    for field in request.headers.iter() {
        headers.add(field.name, field.value);
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !headers.get("content-length").is_none_or(is_number) {
        return Err(malformed());
    }
    Ok(RequestHead { method: method.to_owned(), target: target.to_owned(), version, headers })
}

fn malformed() -> HttpError {
    HttpError::bad_request("malformed request head")
}
