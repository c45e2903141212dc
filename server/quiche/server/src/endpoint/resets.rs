//! Stateless resets (RFC 9000 section 10.3): what tells clients of a server that was started again to connect anew.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use boring::hash::hmac_sha256;

use super::connection_ids::ServerId;
use crate::certificate::written_beside;

/// The key's file in the folder of the certificate, shared with voxel-serve.
const KEY_FILE: &str = "stateless-reset-key";

const KEY_BYTES: usize = 32;
const TOKEN_BYTES: usize = 16;

/// Bounds of a reset's length: a shorter one is no QUIC packet, a longer one hides nothing more.
const SHORTEST: usize = 21;
const LONGEST: usize = 43;

/// Resets a second. Who forges packets gets no more, and clients that miss theirs ask again or time out.
const RATE: u32 = 250;

/// The secret from which the tokens of all connection IDs follow.
#[derive(Clone)]
pub struct ResetKey([u8; KEY_BYTES]);

impl ResetKey {
    /// The key in the folder, made if it is not there. A folder that cannot be read or written only prevents that
    /// the next server has the same one.
    pub fn obtain(folder: &Path) -> io::Result<Self> {
        let file = folder.join(KEY_FILE);
        if let Some(key) = read(&file) {
            return Ok(Self(key));
        }
        let mut key = [0; KEY_BYTES];
        boring::rand::rand_bytes(&mut key).map_err(io::Error::other)?;
        let _ = keep(&file, &key);
        // Another server may have been faster.
        Ok(Self(read(&file).unwrap_or(key)))
    }
}

fn read(file: &Path) -> Option<[u8; KEY_BYTES]> {
    fs::read(file).ok()?.try_into().ok()
}

/// Replaces no key but a damaged one.
fn keep(file: &Path, key: &[u8; KEY_BYTES]) -> io::Result<()> {
    let temporary = written_beside(file, key)?;
    let placed = if file.exists() { fs::rename(&temporary, file) } else { fs::hard_link(&temporary, file) };
    let _ = fs::remove_file(&temporary);
    placed
}

/// The tokens of connection IDs, and the resets that carry them.
pub struct Resets {
    key: ResetKey,
    /// What tells this server from others with the same key.
    salt: Vec<u8>,
    allowed: u32,
    counted_since: Option<Instant>,
}

impl Resets {
    /// The tokens of this key. `port`: the server's UDP port. Servers with the same key on other ports have other
    /// tokens, so that a packet that somebody sends on to them ends no connection here (RFC 9000 section 21.11). With a
    /// server ID, that counts in place of the port: the next server of this ID resets this one's connections wherever
    /// it is.
    pub fn new(key: ResetKey, server_id: Option<&ServerId>, port: u16) -> Self {
        let salt = match server_id {
            None => port.to_be_bytes().to_vec(),
            Some(server_id) => [b"server ", &server_id.bytes[..]].concat(),
        };
        Self { key, salt, allowed: RATE, counted_since: None }
    }

    /// The token of a connection ID.
    pub fn token(&self, id: &[u8]) -> Option<u128> {
        let tag = hmac_sha256(&self.key.0, &[&self.salt, id].concat()).ok()?;
        tag.first_chunk::<TOKEN_BYTES>().map(|token| u128::from_be_bytes(*token))
    }

    /// What to send for a packet of `length` bytes to an unknown connection ID, if anything: always shorter than the
    /// packet, so that two servers that answer each other come to an end.
    pub fn answer(&mut self, id: &[u8], length: usize, now: Instant) -> Option<Vec<u8>> {
        let mut reset = vec![0; LONGEST.min(length.checked_sub(1)?)];
        if reset.len() < SHORTEST || !self.count(now) {
            return None;
        }
        boring::rand::rand_bytes(&mut reset).ok()?;
        // A short header: 0, the fixed bit, then unpredictable bits.
        reset[0] = reset[0] & 0x3f | 0x40;
        let token = self.token(id)?.to_be_bytes();
        let start = reset.len() - TOKEN_BYTES;
        reset[start..].copy_from_slice(&token);
        Some(reset)
    }

    /// Whether one more is allowed within this second.
    fn count(&mut self, now: Instant) -> bool {
        if self.counted_since.is_none_or(|since| now.duration_since(since) >= Duration::from_secs(1)) {
            self.counted_since = Some(now);
            self.allowed = RATE;
        }
        let allowed = self.allowed > 0;
        self.allowed = self.allowed.saturating_sub(1);
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resets(port: u16) -> Resets {
        Resets::new(ResetKey([7; KEY_BYTES]), None, port)
    }

    #[test]
    fn a_reset_is_shorter_than_its_packet_and_ends_with_the_token() {
        let token = resets(1).token(b"id").unwrap();
        for length in 0..100 {
            let reset = resets(1).answer(b"id", length, Instant::now());
            assert_eq!(reset.is_some(), length > SHORTEST, "{length}");
            let Some(reset) = reset else { continue };
            assert!(reset.len() < length && reset[0] & 0xc0 == 0x40);
            assert!(reset.ends_with(&token.to_be_bytes()));
        }
        assert_ne!(resets(1).token(b"id"), resets(2).token(b"id"));
        assert_ne!(resets(1).token(b"id"), resets(1).token(b"other"));
    }

    #[test]
    fn with_a_server_id_the_port_does_not_matter() {
        let token = |bytes: &[u8], port| {
            let server_id = ServerId { bytes: bytes.to_vec(), configuration: 0, key: None };
            Resets::new(ResetKey([7; KEY_BYTES]), Some(&server_id), port).token(b"id")
        };
        assert_eq!(token(b"\x01", 1), token(b"\x01", 2));
        assert_ne!(token(b"\x01", 1), token(b"\x02", 1));
    }

    #[test]
    fn resets_are_limited_in_each_second() {
        let (mut resets, now) = (resets(1), Instant::now());
        let sent = |resets: &mut Resets, now| (0..1000).filter(|_| resets.answer(b"id", 50, now).is_some()).count();
        assert_eq!(sent(&mut resets, now), RATE as usize);
        assert_eq!(sent(&mut resets, now + Duration::from_millis(999)), 0);
        assert_eq!(sent(&mut resets, now + Duration::from_secs(1)), RATE as usize);
    }

    #[test]
    fn the_key_is_made_once_and_a_damaged_one_again() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("voxel-quiche-reset-{}", std::process::id()));
        let first = ResetKey::obtain(&folder).unwrap();
        assert_eq!(ResetKey::obtain(&folder).unwrap().0, first.0);
        let file = folder.join(KEY_FILE);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&file, b"short").unwrap();
        let second = ResetKey::obtain(&folder).unwrap();
        assert_ne!(second.0, first.0);
        assert_eq!(ResetKey::obtain(&folder).unwrap().0, second.0);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no temporary files are left");
        fs::remove_dir_all(folder).unwrap();
    }
}
