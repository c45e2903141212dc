//! The packet that refuses a connection: an Initial with CONNECTION_CLOSE (RFC 9000 section 5.2.2), made without a
//! handshake, which would cost a crowded server more than the client.

use boring::hash::hmac_sha256;
use boring::symm::{Cipher, encrypt_aead};

/// RFC 9001 section 5.2.
const INITIAL_SALT: [u8; 20] = [
    0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc, 0xbb, 0x7f,
    0x0a,
];

const KEY_BYTES: usize = 16;
const IV_BYTES: usize = 12;
const TAG_BYTES: usize = 16;

/// Long header, fixed bit, Initial, packet number of one byte (RFC 9000 section 17.2.2).
const FIRST_BYTE: u8 = 0xc0;

const CONNECTION_CLOSE: u8 = 0x1c;
const CONNECTION_REFUSED: u8 = 0x2;
const REASON: &[u8] = b"too many connections";

/// The packet for a client whose Initial had these connection IDs; `None` if the library fails. `version`: 1, the only
/// one whose salt this is.
pub fn packet(version: u32, client_chose: &[u8], client_is: &[u8]) -> Option<Vec<u8>> {
    let mut frame = vec![CONNECTION_CLOSE, CONNECTION_REFUSED, 0, REASON.len() as u8];
    frame.extend(REASON);

    let mut head = vec![FIRST_BYTE];
    head.extend(version.to_be_bytes());
    for id in [client_is, client_chose] {
        head.push(id.len() as u8);
        head.extend(id);
    }
    head.push(0); // No token.
    let number_start = head.len() + 2;
    let rest = 1 + frame.len() + TAG_BYTES;
    head.extend((0x4000 | rest as u16).to_be_bytes());
    head.push(0); // The packet number.

    let keys = Keys::of_server(client_chose)?;
    let mut tag = [0; TAG_BYTES];
    // The nonce is the IV: the packet number is 0.
    let sealed = encrypt_aead(Cipher::aes_128_gcm(), &keys.key, Some(&keys.iv), &head, &frame, &mut tag).ok()?;
    let mut packet = [&head[..], &sealed, &tag].concat();
    keys.protect(&mut packet, number_start)?;
    Some(packet)
}

/// A server's keys of Initial packets (RFC 9001 section 5.2).
struct Keys {
    key: Vec<u8>,
    iv: Vec<u8>,
    header: Vec<u8>,
}

impl Keys {
    fn of_server(client_chose: &[u8]) -> Option<Self> {
        let initial = hmac_sha256(&INITIAL_SALT, client_chose).ok()?;
        let server = expand_label(&initial, "server in", 32)?;
        Some(Self {
            key: expand_label(&server, "quic key", KEY_BYTES)?,
            iv: expand_label(&server, "quic iv", IV_BYTES)?,
            header: expand_label(&server, "quic hp", KEY_BYTES)?,
        })
    }

    /// Header protection (RFC 9001 section 5.4) of a long header with a packet number of one byte.
    fn protect(&self, packet: &mut [u8], number_start: usize) -> Option<()> {
        let sample = packet.get(number_start + 4..number_start + 20)?;
        let mask = boring::symm::encrypt(Cipher::aes_128_ecb(), &self.header, None, sample).ok()?;
        packet[0] ^= mask[0] & 0x0f;
        packet[number_start] ^= mask[1];
        Some(())
    }
}

/// HKDF-Expand-Label without a context (RFC 8446 section 7.1), for at most one block.
fn expand_label(secret: &[u8], label: &str, length: usize) -> Option<Vec<u8>> {
    let label = format!("tls13 {label}");
    let info = [&(length as u16).to_be_bytes()[..], &[label.len() as u8], label.as_bytes(), &[0, 1]].concat();
    hmac_sha256(secret, &info).ok().map(|block| block[..length].to_vec())
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use quiche::{Config, ConnectionId, Header, RecvInfo};

    use super::*;

    /// RFC 9001 appendix A.1.
    #[test]
    fn the_keys_of_the_standards_example() {
        let keys = Keys::of_server(&[0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08]).unwrap();
        let hexadecimal = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(hexadecimal(&keys.key), "cf3a5331653c364c88f0f379b6067e37");
        assert_eq!(hexadecimal(&keys.iv), "0ac1493ca1905853b0bba03e");
        assert_eq!(hexadecimal(&keys.header), "c206b8d9b9f0f37644430b490eeaa314");
    }

    #[test]
    fn a_client_reads_that_it_is_refused() {
        let mut config = Config::new(quiche::PROTOCOL_VERSION).unwrap();
        config.set_application_protos(quiche::h3::APPLICATION_PROTOCOL).unwrap();
        let (local, peer) = (SocketAddr::from(([127, 0, 0, 1], 1)), SocketAddr::from(([127, 0, 0, 1], 2)));
        let id = ConnectionId::from_ref(&[1; 16]);
        let mut client = quiche::connect(None, &id, local, peer, &mut config).unwrap();
        let mut initial = [0; 1350];
        let (length, _) = client.send(&mut initial).unwrap();
        let header = Header::from_slice(&mut initial[..length], 16).unwrap();
        let mut refusal = packet(header.version, &header.dcid, &header.scid).unwrap();
        assert!(refusal.len() < 100, "no amplification");
        client.recv(&mut refusal, RecvInfo { from: peer, to: local }).unwrap();
        let error = client.peer_error().unwrap();
        assert_eq!((error.is_app, error.error_code), (false, u64::from(CONNECTION_REFUSED)));
    }
}
