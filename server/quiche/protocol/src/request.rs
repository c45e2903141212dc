//! A VOXEL request: one per WebTransport stream.

use std::time::Duration;

use sfv::{BareItem, Item, Parser};

use crate::error::{HttpError, Status};
use crate::head::{HeadReader, Headers, HttpVersion, RequestHead};
use crate::limits::Limits;
use crate::parity::Parity;
use crate::ranges::{RangeSpec, parse_range_header};

/// The most digits of an integer in a structured field (RFC 9651 section 3.3.1).
const MAX_DEADLINE_DIGITS: usize = 15;

/// The headers that only VOXEL requests have, which web pages must be allowed to send, and an older name of the first that is
/// ignored.
pub const HEADERS: [&str; 6] = [
    "x-voxel-unreliable",
    "x-slipstream-unreliable",
    "x-voxel-deadline",
    "x-voxel-after",
    "x-voxel-parity",
    "x-voxel-follow",
];

/// How a growing file is to be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowWish {
    /// Time after a chunk is known, after which its unsent frames are not sent.
    pub deadline: Option<Duration>,
    /// Once a chunk is cut, nothing more is sent of any frames.
    pub group: bool,
}

/// A well-formed request. The file may not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VoxelRequest {
    /// Path and query as sent.
    pub target: String,
    /// Ranges in the order in which they are sent; `None`: the whole file.
    pub ranges: Option<Vec<RangeSpec>>,
    /// The flow of the datagrams; `None`: the body is sent reliably on the stream.
    pub flow: Option<u64>,
    /// Time from the request's arrival after which the flow's unsent bytes are not sent.
    pub deadline: Option<Duration>,
    /// The header of that name; `None`: whatever the file is now.
    pub if_match: Option<String>,
    /// The flow whose bytes go before this body.
    pub after: Option<u64>,
    /// The wish to get a growing file as it grows; `None`: what is there now, as always for ranges.
    pub follow: Option<FollowWish>,
    /// The parity that is wanted with datagrams.
    pub parity: Option<Parity>,
    /// All fields but the ranges, of which some say who asks.
    pub headers: Headers,
}

impl VoxelRequest {
    /// The status of a response that is not a refusal.
    pub fn status(&self) -> Status {
        if self.ranges.is_none() { Status::Ok } else { Status::PartialContent }
    }
}

/// Collects one stream's bytes until its request is complete.
#[derive(Debug, Default)]
pub struct RequestReader {
    head: HeadReader,
    received: usize,
}

impl RequestReader {
    /// The request when its head is complete, until then `None`. Must not be fed again after a request or a refusal.
    pub fn feed(&mut self, data: &[u8], limits: &Limits) -> Result<Option<VoxelRequest>, HttpError> {
        self.received += data.len();
        if let Some(head) = self.head.feed(data, limits.head_bytes)? {
            return interpret(head, limits).map(Some);
        }
        Ok(None)
    }

    /// The refusal of a stream that ends before its head is complete.
    pub fn end(self) -> HttpError {
        HttpError::bad_request("malformed request head")
    }
}

fn interpret(head: RequestHead, limits: &Limits) -> Result<VoxelRequest, HttpError> {
    if head.version != HttpVersion::Http11 {
        return Err(HttpError::bad_request("malformed request head"));
    }
    if head.method != "GET" {
        return Err(HttpError::new(Status::MethodNotAllowed, "only GET is answered").with_header("allow", "GET"));
    }
    let ranges = match head.headers.get("range") {
        Some(value) => parse_range_header(value, limits)?,
        None => None,
    };
    Ok(VoxelRequest {
        target: head.target,
        ranges,
        flow: flow(&head.headers)?,
        deadline: deadline(&head.headers)?,
        if_match: head.headers.get("if-match").map(str::to_owned),
        after: after(&head.headers),
        follow: follow(&head.headers)?,
        parity: head.headers.get("x-voxel-parity").and_then(Parity::parse),
        headers: head.headers.without("range"),
    })
}

fn flow(headers: &Headers) -> Result<Option<u64>, HttpError> {
    let Some(value) = headers.get("x-voxel-unreliable") else { return Ok(None) };
    let item = Parser::new(value).parse::<Item>();
    let Ok(Item { bare_item: BareItem::Boolean(unreliable), params }) = item else {
        return Err(HttpError::bad_request("malformed x-voxel-unreliable header"));
    };
    if !unreliable {
        return Ok(None);
    }
    let number = params.get("flow").and_then(flow_number);
    number.map(Some).ok_or_else(|| HttpError::bad_request("x-voxel-unreliable needs a flow number"))
}

fn flow_number(item: &BareItem) -> Option<u64> {
    match item {
        BareItem::Integer(number) => u64::try_from(i64::from(*number)).ok(),
        _ => None,
    }
}

fn follow(headers: &Headers) -> Result<Option<FollowWish>, HttpError> {
    let Some(value) = headers.get("x-voxel-follow") else { return Ok(None) };
    let malformed = || HttpError::bad_request("malformed x-voxel-follow header");
    let Ok(Item { bare_item: BareItem::Boolean(wanted), params }) = Parser::new(value).parse::<Item>() else {
        return Err(malformed());
    };
    // A whole number of milliseconds has the form of a flow number.
    let deadline = params.get("deadline").map(|item| flow_number(item).ok_or_else(malformed)).transpose()?;
    let group = match params.get("group") {
        None => false,
        Some(BareItem::Boolean(group)) => *group,
        Some(_) => return Err(malformed()),
    };
    let wish = FollowWish { deadline: deadline.map(Duration::from_millis), group };
    Ok((wanted && headers.get("range").is_none()).then_some(wish))
}

/// A value that is no flow number is ignored.
fn after(headers: &Headers) -> Option<u64> {
    let item = Parser::new(headers.get("x-voxel-after")?).parse::<Item>().ok()?;
    flow_number(&item.bare_item)
}

fn deadline(headers: &Headers) -> Result<Option<Duration>, HttpError> {
    let Some(value) = headers.get("x-voxel-deadline") else { return Ok(None) };
    let well_formed = (1..=MAX_DEADLINE_DIGITS).contains(&value.len()) && value.bytes().all(|it| it.is_ascii_digit());
    match value.parse() {
        Ok(milliseconds) if well_formed => Ok(Some(Duration::from_millis(milliseconds))),
        _ => Err(HttpError::bad_request("malformed x-voxel-deadline header")),
    }
}

#[cfg(test)]
mod tests;
