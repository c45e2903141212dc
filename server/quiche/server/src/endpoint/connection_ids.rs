//! The connection IDs that this server issues: random ones, or such as a load balancer can read
//! (draft-ietf-quic-load-balancers-21).

use boring::symm::{Cipher, Crypter, Mode};
use quiche::ConnectionId;

use super::owners::Owners;

/// Length of an ID without a server ID.
const RANDOM_BYTES: usize = 16;

/// Server ID and nonce fill a block of AES, which is then encrypted in a single pass (section 5.4.1 of the draft).
pub const BLOCK_BYTES: usize = 16;

/// What is left of the block must be a nonce that never repeats by chance.
pub const MOST_SERVER_ID_BYTES: usize = 8;

/// Three bits of the first octet; the last value means "no configuration" (section 3.1).
pub const MOST_CONFIGURATION: u8 = 6;
const CONFIGURATION_SHIFT: u8 = 5;

/// What the load balancer and this server have agreed on.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerId {
    /// One to [`MOST_SERVER_ID_BYTES`] bytes.
    pub bytes: Vec<u8>,
    /// The number of the configuration, at most [`MOST_CONFIGURATION`].
    pub configuration: u8,
    /// The key of AES-128; `None`: everybody may read the server ID.
    pub key: Option<[u8; BLOCK_BYTES]>,
}

impl ServerId {
    /// The ID with this nonce, which has the length that the server ID leaves it.
    fn encode(&self, nonce: &[u8]) -> Option<Vec<u8>> {
        let block = [&self.bytes, nonce].concat();
        let block = self.key.map_or(Some(block.clone()), |key| crypt(Mode::Encrypt, &key, &block))?;
        // Its low bits say how many bytes follow (section 3.3).
        let first = self.configuration << CONFIGURATION_SHIFT | BLOCK_BYTES as u8;
        Some([&[first], &block[..]].concat())
    }

    fn is_in(&self, id: &[u8]) -> bool {
        let Some((first, block)) = id.split_first() else { return false };
        if first >> CONFIGURATION_SHIFT != self.configuration || block.len() != BLOCK_BYTES {
            return false;
        }
        match self.key {
            None => block.starts_with(&self.bytes),
            Some(key) => crypt(Mode::Decrypt, &key, block).is_some_and(|block| block.starts_with(&self.bytes)),
        }
    }
}

/// One block of AES-128; `None` if the library fails.
fn crypt(mode: Mode, key: &[u8], block: &[u8]) -> Option<Vec<u8>> {
    let mut crypter = Crypter::new(Cipher::aes_128_ecb(), mode, key, None).ok()?;
    crypter.pad(false);
    let mut out = vec![0; 2 * BLOCK_BYTES];
    let mut length = crypter.update(block, &mut out).ok()?;
    length += crypter.finalize(&mut out[length..]).ok()?;
    out.truncate(length);
    Some(out)
}

/// Makes the connection IDs of one worker.
pub struct ConnectionIds {
    server_id: Option<ServerId>,
    worker: usize,
    owners: Owners,
}

impl ConnectionIds {
    /// A maker of IDs of this worker that all have this server ID; `None`: of random bytes.
    pub fn new(server_id: Option<ServerId>, worker: usize, owners: Owners) -> Self {
        Self { server_id, worker, owners }
    }

    /// Bytes of each ID: headers of short packets do not say it.
    pub fn length(&self) -> usize {
        if self.server_id.is_some() { 1 + BLOCK_BYTES } else { RANDOM_BYTES }
    }

    /// Another ID; `None` when the system cannot give random bytes. Draws until one falls to this worker: as often as there are
    /// workers, on average.
    pub fn make(&self) -> Option<ConnectionId<'static>> {
        loop {
            let mut random = [0; BLOCK_BYTES];
            boring::rand::rand_bytes(&mut random).ok()?;
            let bytes = match &self.server_id {
                None => random.to_vec(),
                Some(server_id) => server_id.encode(&random[server_id.bytes.len()..])?,
            };
            if self.owners.of(&bytes) == self.worker {
                return Some(ConnectionId::from_vec(bytes));
            }
        }
    }

    /// The number of another worker, if the ID is one of its.
    pub fn other_worker(&self, id: &[u8]) -> Option<usize> {
        let owner = self.owners.of(id);
        (owner != self.worker && self.may_have_issued(id)).then_some(owner)
    }

    /// Whether this server, or an earlier one in its place, may have issued the ID. Of one with another server ID this
    /// server knows nothing: the load balancer has sent it here by mistake, and its connection may be alive.
    pub fn may_have_issued(&self, id: &[u8]) -> bool {
        self.server_id.as_ref().is_none_or(|server_id| server_id.is_in(id))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn bytes(hexadecimal: &Value) -> Vec<u8> {
        let digits = hexadecimal.as_str().unwrap().as_bytes();
        digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
    }

    fn server_id(bytes: &[u8], key: Option<[u8; BLOCK_BYTES]>) -> ServerId {
        ServerId { bytes: bytes.to_vec(), configuration: 2, key }
    }

    /// What makes the IDs of the only worker.
    fn ids_of(server_id: Option<ServerId>) -> ConnectionIds {
        ConnectionIds::new(server_id, 0, Owners::new(1))
    }

    #[test]
    fn the_shared_vectors() {
        let vectors: Value =
            serde_json::from_str(include_str!("../../../../../test/vectors/connection-ids.json")).unwrap();
        for vector in vectors.as_array().unwrap() {
            let server_id = ServerId {
                bytes: bytes(&vector["serverId"]),
                configuration: vector["configuration"].as_u64().unwrap() as u8,
                key: (!vector["key"].is_null()).then(|| bytes(&vector["key"]).try_into().unwrap()),
            };
            let id = bytes(&vector["connectionId"]);
            assert_eq!(server_id.encode(&bytes(&vector["nonce"])).unwrap(), id);
            assert!(ids_of(Some(server_id)).may_have_issued(&id));
        }
    }

    #[test]
    fn an_id_is_its_servers_only() {
        let key = Some([7; BLOCK_BYTES]);
        for one in [server_id(b"\x01\x02", None), server_id(b"\x01\x02", key)] {
            let ids = ids_of(Some(one.clone()));
            let (first, second) = (ids.make().unwrap(), ids.make().unwrap());
            assert_ne!(first, second);
            assert_eq!(first.len(), ids.length());
            assert!(ids.may_have_issued(&first) && ids.may_have_issued(&second));
            let other = ids_of(Some(ServerId { bytes: b"\x01\x03".to_vec(), ..one.clone() }));
            let later = ids_of(Some(ServerId { configuration: 3, ..one }));
            assert!(!other.may_have_issued(&first) && !later.may_have_issued(&first));
            for length in 0..first.len() {
                assert!(!ids.may_have_issued(&first[..length]));
            }
        }
    }

    #[test]
    fn with_a_key_nobody_reads_the_server_id() {
        let ids = ids_of(Some(server_id(&[1; 8], Some([7; BLOCK_BYTES]))));
        let [first, second] = [ids.make().unwrap(), ids.make().unwrap()];
        assert_ne!(first[1..9], [1; 8]);
        assert_ne!(first[1..9], second[1..9]);
    }

    #[test]
    fn without_a_server_id_all_are_random_and_may_be_ours() {
        let ids = ids_of(None);
        assert_eq!(ids.make().unwrap().len(), ids.length());
        assert!(ids.may_have_issued(b"anything"));
    }

    #[test]
    fn each_worker_draws_ids_that_all_know_as_its_own() {
        let owners = Owners::new(3);
        for one in [None, Some(server_id(&[1; 8], None)), Some(server_id(b"\x01", Some([7; BLOCK_BYTES])))] {
            let workers = [0, 1, 2].map(|worker| ConnectionIds::new(one.clone(), worker, owners.clone()));
            for (number, worker) in workers.iter().enumerate() {
                let id = worker.make().unwrap();
                for (other, asked) in workers.iter().enumerate() {
                    assert_eq!(asked.other_worker(&id), (other != number).then_some(number));
                }
            }
        }
        let elsewhere = ids_of(Some(server_id(b"\x02", None))).make().unwrap();
        let worker = |number| ConnectionIds::new(Some(server_id(b"\x01", None)), number, owners.clone());
        assert!([0, 1, 2].map(worker).iter().all(|asked| asked.other_worker(&elsewhere).is_none()));
    }
}
