//! The VOXEL protocol over WebTransport, `voxel-1` (docs/PROTOCOL.md), as a server needs it: no sockets, no files, no
//! clock, so that every rule can be tested in memory.
//!
//! A request comes in as bytes ([`request`]), becomes byte ranges of a file ([`ranges`]), and goes out as stream bytes
//! ([`response`]) or as datagrams ([`flow`], [`scheduler`]). [`site`] answers ordinary HTTP, [`framing`] is HTTP/3's
//! and WebTransport's part on a stream.
#![forbid(unsafe_code)]

pub mod discovery;
pub mod error;
pub mod flow;
pub mod framing;
pub mod head;
pub mod limits;
pub mod origin;
pub mod pacer;
pub mod path;
pub mod ranges;
pub mod request;
pub mod response;
pub mod scheduler;
pub mod site;
pub mod varint;
pub mod window;

/// The wire version, as WebTransport's protocol negotiation names it.
pub const VERSION: &str = "voxel-1";
