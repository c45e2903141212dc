//! The VOXEL protocol over WebTransport, `voxel-1` (docs/PROTOCOL.md), for a server, without sockets, files or
//! a clock, so that every rule can be tested in memory.
//!
//! A request arrives as bytes ([`request`]) and becomes byte ranges of a file ([`ranges`]), which leave as stream bytes
//! ([`response`]) or as datagrams ([`flow`], [`scheduler`]), with [`parity`] if the request asks for it. Live segments are
//! followed ([`vxl`], [`follow`]) while they are made, and their playlists waited for ([`playlist`]). [`site`] responds to ordinary HTTP requests, [`framing`]
//! is the framing of HTTP/3 and WebTransport on a stream.
#![forbid(unsafe_code)]

pub mod announced;
pub mod authorization;
pub mod capsules;
pub mod client;
pub mod clock;
pub mod cmcd;
pub mod cmsd;
pub mod coded;
pub mod coding;
pub mod conditions;
pub mod delay_window;
pub mod delivery_rate;
pub mod discovery;
pub mod error;
pub mod facts;
pub mod flight;
pub mod flow;
pub mod follow;
pub mod framing;
pub mod head;
pub mod limits;
pub mod live_control;
pub mod origin;
pub mod pacer;
pub mod parity;
mod past;
pub mod path;
pub mod playlist;
pub mod ranges;
pub mod request;
pub mod response;
pub mod scheduler;
pub mod site;
pub mod target;
pub mod varint;
pub mod vxl;
pub mod window;

/// The wire version, as WebTransport's protocol negotiation names it.
pub const VERSION: &str = "voxel-1";
