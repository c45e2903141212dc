//! Address validation tokens (RFC 9000 section 8.1): what a client must send back before a crowded server listens.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use boring::hash::hmac_sha256;
use quiche::ConnectionId;

/// Time from Retry to the Initial with its token: a round trip, and repeats.
const VALIDITY: Duration = Duration::from_secs(10);

const KEY_BYTES: usize = 32;
const TIME_BYTES: usize = 8;
const TAG_BYTES: usize = 32;

/// Makes and checks tokens: time in ms, the connection ID that the client chose, and a tag over both, the client's
/// address and the connection ID that Retry gave.
pub struct Tokens([u8; KEY_BYTES]);

impl Tokens {
    /// Tokens under a new key; `None` when the system cannot give random bytes.
    pub fn new() -> Option<Self> {
        let mut key = [0; KEY_BYTES];
        boring::rand::rand_bytes(&mut key).ok().map(|()| Self(key))
    }

    /// A token for a client at `peer` that has chosen `original` and is given `retry`.
    pub fn make(&self, original: &[u8], retry: &[u8], peer: SocketAddr, now: SystemTime) -> Option<Vec<u8>> {
        let mut token = millis(now).to_be_bytes().to_vec();
        token.extend_from_slice(original);
        let tag = self.tag(&token, retry, peer)?;
        token.extend_from_slice(&tag);
        Some(token)
    }

    /// The connection ID that the client chose at first; `None` for a token that is forged, old or another's.
    pub fn check(
        &self,
        token: &[u8],
        retry: &[u8],
        peer: SocketAddr,
        now: SystemTime,
    ) -> Option<ConnectionId<'static>> {
        let (content, tag) = token.split_at_checked(token.len().checked_sub(TAG_BYTES)?)?;
        if !boring::memcmp::eq(&self.tag(content, retry, peer)?, tag) {
            return None;
        }
        let (time, original) = content.split_first_chunk::<TIME_BYTES>()?;
        let age = millis(now).checked_sub(u64::from_be_bytes(*time))?;
        (u128::from(age) <= VALIDITY.as_millis()).then(|| ConnectionId::from_vec(original.to_vec()))
    }

    fn tag(&self, content: &[u8], retry: &[u8], peer: SocketAddr) -> Option<[u8; TAG_BYTES]> {
        let ip = match peer.ip() {
            IpAddr::V4(ip) => ip.to_ipv6_mapped(),
            IpAddr::V6(ip) => ip,
        };
        let signed = [&ip.octets(), &peer.port().to_be_bytes()[..], &[retry.len() as u8], retry, content].concat();
        hmac_sha256(&self.0, &signed).ok()
    }
}

fn millis(time: SystemTime) -> u64 {
    u64::try_from(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_good_for_its_client_and_its_time_only() {
        let (tokens, others) = (Tokens::new().unwrap(), Tokens::new().unwrap());
        let peer: SocketAddr = "127.0.0.1:5000".parse().unwrap();
        let now = SystemTime::now();
        let token = tokens.make(b"original", b"retry", peer, now).unwrap();
        let check = |token: &[u8], retry: &[u8], peer: &str, after: u64| {
            tokens.check(token, retry, peer.parse().unwrap(), now + Duration::from_secs(after))
        };
        assert_eq!(check(&token, b"retry", "127.0.0.1:5000", 9).as_deref(), Some(&b"original"[..]));
        assert_eq!(check(&token, b"retry", "127.0.0.1:5000", 11), None);
        assert_eq!(check(&token, b"other", "127.0.0.1:5000", 0), None);
        assert_eq!(check(&token, b"retry", "127.0.0.1:5001", 0), None);
        assert_eq!(check(&token, b"retry", "127.0.0.2:5000", 0), None);
        assert_eq!(others.check(&token, b"retry", peer, now), None);
        for length in 0..token.len() {
            assert_eq!(check(&token[..length], b"retry", "127.0.0.1:5000", 0), None);
        }
    }
}
