//! Ordinary HTTP, the same over HTTP/1.1 and HTTP/3: GET, HEAD and OPTIONS, single and multiple ranges (RFC 9110).

use bytes::Bytes;

use crate::conditions;
use crate::error::{HttpError, Status};
pub use crate::facts::FileFacts;
use crate::head::Headers;
use crate::limits::Limits;
use crate::ranges::{ByteRange, RangeSpec, followed_range, known_ranges, parse_range_header, satisfiable_ranges};
use crate::response::TEXT;

pub const ALLOWED_METHODS: &str = "GET, HEAD, OPTIONS";

/// One request of either HTTP version.
#[derive(Debug)]
pub struct HttpRequest {
    pub method: String,
    /// Path and query, or `*`.
    pub target: String,
    /// The Host header or :authority.
    pub authority: String,
    pub headers: Headers,
}

/// A part of a response's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Literal(Bytes),
    Range(ByteRange),
}

impl Piece {
    pub fn len(&self) -> u64 {
        match self {
            Self::Literal(bytes) => bytes.len() as u64,
            Self::Range(range) => range.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Status, headers with the content length, and the pieces of the body.
#[derive(Debug)]
pub struct HttpResponse {
    pub status: Status,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<Piece>,
    /// What is sent instead of the body, as it comes; its end may lie beyond that of the file.
    pub followed: Option<ByteRange>,
}

/// The response to a GET or HEAD of an existing file. `boundary`: a random boundary for multipart bodies.
pub fn file_response(
    file: &FileFacts,
    request: &HttpRequest,
    limits: &Limits,
    boundary: &str,
) -> Result<HttpResponse, HttpError> {
    let headers = &request.headers;
    conditions::check(headers, file)?;
    let etag = file.etag();
    let mut common = common_headers();
    common.push(("etag", etag.clone()));
    common.push(("last-modified", httpdate::fmt_http_date(file.modified)));
    if conditions::is_known(headers, file) {
        return Ok(HttpResponse { status: Status::NotModified, headers: common, body: Vec::new(), followed: None });
    }
    let mut response = match wanted_ranges(request, &etag, limits)? {
        None => {
            let headers = vec![("content-type", file.content_type.to_owned())];
            let body = vec![Piece::Range(ByteRange { start: 0, end: file.size })];
            with_length(HttpResponse { status: Status::Ok, headers, body, followed: None })
        }
        Some(specs) => range_response(file, &satisfiable_ranges(&specs, file.size, limits)?, boundary),
    };
    response.headers.extend(common);
    Ok(response)
}

/// The response to a GET or HEAD of a file that grows: it follows the file, or has ranges of what is there.
pub fn growing_response(
    file: &FileFacts,
    request: &HttpRequest,
    limits: &Limits,
    boundary: &str,
) -> Result<HttpResponse, HttpError> {
    let etag = file.etag();
    conditions::check_unchanged(request.headers.get("if-match"), &etag)?;
    let specs = wanted_ranges(request, &etag, limits)?;
    let part = specs.as_ref().map(|specs| followed_range(specs, file.size));
    let mut response = match (specs, part.flatten()) {
        (Some(specs), None) => range_response(file, &known_ranges(&specs, file.size, limits)?, boundary),
        (_, part) => {
            let status = if part.is_some() { Status::PartialContent } else { Status::Ok };
            let range = part.map(|part| ("content-range", content_range(part, file)));
            let headers = [("content-type", file.content_type.to_owned())].into_iter().chain(range).collect();
            let followed = Some(part.unwrap_or(ByteRange { start: 0, end: u64::MAX }));
            HttpResponse { status, headers, body: Vec::new(), followed }
        }
    };
    response.headers.extend(common_headers());
    Ok(response)
}

/// Headers of all responses with bytes of a file.
fn common_headers() -> Vec<(&'static str, String)> {
    let headers = [("accept-ranges", "bytes"), ("cache-control", "no-cache"), ("x-content-type-options", "nosniff")];
    headers.map(|(name, value)| (name, value.to_owned())).to_vec()
}

/// What a request asks for in `Range`; `None`: nothing that counts. `etag`: "" of a file without one.
fn wanted_ranges(
    HttpRequest { method, headers, .. }: &HttpRequest,
    etag: &str,
    limits: &Limits,
) -> Result<Option<Vec<RangeSpec>>, HttpError> {
    let is_of_this_file = headers.get("if-range").is_none_or(|tag| !etag.is_empty() && tag == etag);
    // Of other methods than GET it means nothing (RFC 9110 section 14.2).
    match headers.get("range").filter(|_| method == "GET" && is_of_this_file) {
        Some(value) => parse_range_header(value, limits),
        None => Ok(None),
    }
}

fn with_length(mut response: HttpResponse) -> HttpResponse {
    let length: u64 = response.body.iter().map(Piece::len).sum();
    response.headers.push(("content-length", length.to_string()));
    response
}

fn range_response(file: &FileFacts, ranges: &[ByteRange], boundary: &str) -> HttpResponse {
    let (headers, body) = if let [range] = *ranges {
        let content_type = ("content-type", file.content_type.to_owned());
        (vec![content_type, ("content-range", content_range(range, file))], vec![Piece::Range(range)])
    } else {
        let content_type = format!("multipart/byteranges; boundary={boundary}");
        (vec![("content-type", content_type)], multipart(ranges, file, boundary))
    };
    with_length(HttpResponse { status: Status::PartialContent, headers, body, followed: None })
}

/// RFC 9110 section 14.6.
fn multipart(ranges: &[ByteRange], file: &FileFacts, boundary: &str) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(2 * ranges.len() + 1);
    for range in ranges {
        let (content_type, content_range) = (file.content_type, content_range(*range, file));
        let head =
            format!("\r\n--{boundary}\r\ncontent-type: {content_type}\r\ncontent-range: {content_range}\r\n\r\n");
        pieces.push(Piece::Literal(head.into()));
        pieces.push(Piece::Range(*range));
    }
    pieces.push(Piece::Literal(format!("\r\n--{boundary}--\r\n").into()));
    pieces
}

fn content_range(range: ByteRange, file: &FileFacts) -> String {
    let size = if file.grows { "*".to_owned() } else { file.size.to_string() };
    format!("bytes {}-{}/{size}", range.start, range.end - 1)
}

/// An error response with a one-line text body.
pub fn text_response(error: &HttpError) -> HttpResponse {
    let mut response = literal_response(TEXT, format!("{}\n", error.message));
    response.status = error.status;
    response.headers.extend(error.headers.iter().cloned());
    response
}

/// A response with this content.
pub fn literal_response(content_type: &'static str, content: String) -> HttpResponse {
    let headers = vec![("content-type", content_type.to_owned()), ("content-length", content.len().to_string())];
    HttpResponse { status: Status::Ok, headers, body: vec![Piece::Literal(content.into())], followed: None }
}

/// Refuses methods other than GET, HEAD and OPTIONS with 405.
pub fn check_method(method: &str) -> Result<(), HttpError> {
    if ["GET", "HEAD", "OPTIONS"].contains(&method) {
        return Ok(());
    }
    let message = format!("only {ALLOWED_METHODS} are answered");
    Err(HttpError::new(Status::MethodNotAllowed, message).with_header("allow", ALLOWED_METHODS))
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn answer(fields: &[(&str, &str)]) -> Result<HttpResponse, HttpError> {
        let mut headers = Headers::default();
        for (name, value) in fields {
            headers.add(name, value.as_bytes());
        }
        let (modified, content_type) = (SystemTime::UNIX_EPOCH, "video/mp4");
        let file = FileFacts { size: 1000, modified, validator: None, content_type, grows: false };
        let (method, target, authority) = ("GET".to_owned(), "/".to_owned(), "localhost".to_owned());
        let request = HttpRequest { method, target, authority, headers };
        file_response(&file, &request, &Limits::default(), "BOUNDARY")
    }

    fn field<'a>(response: &'a HttpResponse, name: &str) -> Option<&'a str> {
        response.headers.iter().find(|(other, _)| *other == name).map(|(_, value)| value.as_str())
    }

    #[test]
    fn several_ranges_come_as_multipart_whose_length_is_told() {
        let response = answer(&[("range", "bytes=5-9,0-0,-1")]).unwrap();
        assert_eq!(field(&response, "content-type"), Some("multipart/byteranges; boundary=BOUNDARY"));
        let length: u64 = response.body.iter().map(Piece::len).sum();
        assert_eq!(field(&response, "content-length"), Some(length.to_string().as_str()));
        let ranges: Vec<_> = response.body.iter().filter(|it| matches!(it, Piece::Range(_))).map(Piece::len).collect();
        assert_eq!(ranges, [5, 1, 1]);
    }

    #[test]
    fn a_validator_that_fits_spares_the_body_and_one_that_does_not_gets_all_of_it() {
        assert_eq!(answer(&[("if-none-match", "\"x\", \"0-3e8\"")]).unwrap().status, Status::NotModified);
        assert_eq!(answer(&[("range", "bytes=0-0"), ("if-range", "\"x\"")]).unwrap().status, Status::Ok);
        assert_eq!(
            answer(&[("range", "bytes=0-0"), ("if-range", "\"0-3e8\"")]).unwrap().status,
            Status::PartialContent
        );
    }
}
