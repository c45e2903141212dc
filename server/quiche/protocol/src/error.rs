//! Statuses of responses, and refusals.

use crate::limits::Limits;

/// The statuses that the server responds with (docs/PROTOCOL.md, "Errors").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Ok,
    NoContent,
    PartialContent,
    NotModified,
    PermanentRedirect,
    BadRequest,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    PreconditionFailed,
    RangeNotSatisfiable,
    TooManyRequests,
    HeaderFieldsTooLarge,
    BadGateway,
    ServiceUnavailable,
}

impl Status {
    pub const fn code(self) -> u16 {
        self.line().0
    }

    /// The reason phrase of a status line.
    pub const fn phrase(self) -> &'static str {
        self.line().1
    }

    const fn line(self) -> (u16, &'static str) {
        match self {
            Self::Ok => (200, "OK"),
            Self::NoContent => (204, "No Content"),
            Self::PartialContent => (206, "Partial Content"),
            Self::NotModified => (304, "Not Modified"),
            Self::PermanentRedirect => (308, "Permanent Redirect"),
            Self::BadRequest => (400, "Bad Request"),
            Self::Unauthorized => (401, "Unauthorized"),
            Self::Forbidden => (403, "Forbidden"),
            Self::NotFound => (404, "Not Found"),
            Self::MethodNotAllowed => (405, "Method Not Allowed"),
            Self::PreconditionFailed => (412, "Precondition Failed"),
            Self::RangeNotSatisfiable => (416, "Range Not Satisfiable"),
            Self::TooManyRequests => (429, "Too Many Requests"),
            Self::HeaderFieldsTooLarge => (431, "Request Header Fields Too Large"),
            Self::BadGateway => (502, "Bad Gateway"),
            Self::ServiceUnavailable => (503, "Service Unavailable"),
        }
    }
}

/// A refused request; `message` becomes the one-line text body of the response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HttpError {
    pub status: Status,
    pub message: String,
    /// Header fields that the status requires.
    pub headers: Vec<(&'static str, String)>,
}

impl HttpError {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), headers: Vec::new() }
    }

    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(Status::BadRequest, message)
    }

    pub fn not_found() -> Self {
        Self::new(Status::NotFound, "no such file")
    }

    /// The error of a file that could not be read, which says nothing of the file.
    pub fn unreadable() -> Self {
        Self::new(Status::ServiceUnavailable, "the file cannot be read now")
    }

    pub fn head_too_long() -> Self {
        Self::new(Status::HeaderFieldsTooLarge, "request head too long")
    }

    pub fn too_many_ranges(limits: &Limits) -> Self {
        Self::new(Status::HeaderFieldsTooLarge, format!("more than {} ranges", limits.ranges))
    }

    pub fn stopping() -> Self {
        Self::new(Status::ServiceUnavailable, "the server is stopping")
    }
}
