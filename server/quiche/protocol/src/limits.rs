//! Every limit in one place.

use std::time::Duration;

/// What clients may request. Sizes in bytes. Of connections, sessions and requests at a time 0 means any number.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Request line and headers; 3200 ranges of nine-digit positions fit.
    pub head_bytes: usize,
    /// Ranges per request. A 4 s segment at 60 frames/s and 16 slices per frame has 3840.
    pub ranges: usize,
    /// A body may be this many times as long as its file: ranges that overlap more are an attempt to amplify.
    pub overlap: u64,
    /// WebTransport sessions at a time.
    pub sessions: usize,
    /// TCP connections, and likewise QUIC connections, at a time.
    pub connections: usize,
    /// The same of one client address. Beyond half of them a QUIC client must prove its address: who forges addresses
    /// cannot use up another's.
    pub connections_per_address: usize,
    /// WebTransport sessions of one client address at a time: more viewers than most shared addresses have.
    pub sessions_per_address: usize,
    /// Requests in flight of one client address, over all connections.
    pub requests_per_address: usize,
    /// Unfinished QUIC handshakes beyond which clients must prove their address before another begins.
    pub handshakes: usize,
    /// Requests in flight on one QUIC connection, from the first byte of their head; a player has two or three.
    pub requests_per_connection: usize,
    /// Requests among these that follow a growing file: two tracks, each with two segments, and as many again.
    pub follows_per_connection: usize,
    /// A session is closed after this time without a request. Longer than any player's buffer lasts.
    pub session_idle: Duration,
    /// Time for a request head, from its first byte, and for a handshake of TLS or QUIC.
    pub head_timeout: Duration,
    /// Time for the next request on a TCP connection.
    pub keep_alive: Duration,
    /// Time after which a client that does not read its response is cut off.
    pub write_timeout: Duration,
    /// Time for requests in flight when the server stops.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head_bytes: 64 * 1024,
            ranges: 4096,
            overlap: 2,
            sessions: 1000,
            connections: 1000,
            connections_per_address: 250,
            sessions_per_address: 100,
            requests_per_address: 1000,
            handshakes: 250,
            requests_per_connection: 64,
            follows_per_connection: 8,
            session_idle: Duration::from_secs(600),
            head_timeout: Duration::from_secs(10),
            keep_alive: Duration::from_secs(60),
            write_timeout: Duration::from_secs(30),
            drain: Duration::from_secs(5),
        }
    }
}
