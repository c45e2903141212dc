//! Capsules on the CONNECT stream of a session (RFC 9297 section 3): the one that closes it, and no other.

use crate::varint;

/// WT_CLOSE_SESSION (draft-ietf-webtrans-http3 section 6): four bytes of a code, then a reason in UTF-8.
const CLOSE_SESSION: u64 = 0x2843;

const CODE_BYTES: usize = 4;

/// What the draft allows.
pub const MOST_REASON_BYTES: usize = 1024;

/// Why a session was closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closing {
    pub code: u32,
    pub reason: String,
}

/// The capsule that closes a session.
pub fn close_session(code: u32, reason: &str) -> Vec<u8> {
    let mut capsule = Vec::new();
    varint::encode(CLOSE_SESSION, &mut capsule);
    varint::encode((CODE_BYTES + reason.len()) as u64, &mut capsule);
    capsule.extend(code.to_be_bytes());
    capsule.extend(reason.as_bytes());
    capsule
}

/// Reads capsules in pieces of any size. Others than WT_CLOSE_SESSION, and what is too long, are skipped unread.
#[derive(Debug, Default)]
pub struct CapsuleReader {
    closing: Option<Closing>,
    buffer: Vec<u8>,
    skipping: u64,
}

impl CapsuleReader {
    /// What the first capsule that closes the session has said.
    pub fn closing(&self) -> Option<&Closing> {
        self.closing.as_ref()
    }

    /// Reads the next bytes of the stream; those behind the end of the session mean nothing.
    pub fn feed(&mut self, data: &[u8]) {
        let mut data = data.to_vec();
        while self.closing.is_none() {
            let skipped = self.skipping.min(data.len() as u64);
            self.skipping -= skipped;
            self.buffer.extend(data.drain(skipped as usize..));
            data.clear();
            let Some((kind, length, start)) = head(&self.buffer) else { return };
            let range = CODE_BYTES as u64..=(CODE_BYTES + MOST_REASON_BYTES) as u64;
            if kind != CLOSE_SESSION || !range.contains(&length) {
                data = self.buffer.split_off(start);
                self.buffer.clear();
                self.skipping = length;
                continue;
            }
            let Some(value) = self.buffer.get(start..start + length as usize) else { return };
            let (code, reason) = value.split_at(CODE_BYTES);
            let code = code.iter().fold(0, |code, byte| code << 8 | u32::from(*byte));
            self.closing = Some(Closing { code, reason: String::from_utf8_lossy(reason).into_owned() });
        }
    }
}

/// Type and length of the capsule that `data` begins with, and where its value begins.
fn head(data: &[u8]) -> Option<(u64, u64, usize)> {
    let (kind, first) = varint::decode(data)?;
    let (length, second) = varint::decode(&data[first..])?;
    Some((kind, length, first + second))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn capsule(kind: u64, value: &[u8]) -> Vec<u8> {
        let mut capsule = Vec::new();
        varint::encode(kind, &mut capsule);
        varint::encode(value.len() as u64, &mut capsule);
        capsule.extend(value);
        capsule
    }

    fn read(data: &[u8], size: usize) -> CapsuleReader {
        let mut reader = CapsuleReader::default();
        for piece in data.chunks(size) {
            reader.feed(piece);
            assert!(reader.buffer.len() <= 16 + CODE_BYTES + MOST_REASON_BYTES, "little is kept");
        }
        reader
    }

    proptest! {
        #[test]
        fn the_close_is_found_among_others_in_pieces_of_any_size(size in 1usize..30, code: u32, reason in ".{0,100}") {
            let others = [capsule(0x1234, b"greasy"), capsule(0, b"")].concat();
            let data = [others, close_session(code, &reason), capsule(CLOSE_SESSION, b"....")].concat();
            prop_assert_eq!(read(&data, size).closing, Some(Closing { code, reason }));
        }

        #[test]
        fn of_any_bytes_little_is_kept(data in proptest::collection::vec(any::<u8>(), 0..300), size in 1usize..50) {
            read(&data, size);
        }
    }

    #[test]
    fn a_close_of_a_wrong_length_is_skipped() {
        for length in [0, 3, CODE_BYTES + MOST_REASON_BYTES + 1] {
            let data = [capsule(CLOSE_SESSION, &vec![0; length]), close_session(7, "bye")].concat();
            assert_eq!(read(&data, data.len()).closing, Some(Closing { code: 7, reason: "bye".to_owned() }));
        }
    }

    #[test]
    fn a_reason_that_is_no_utf_8_is_read_as_far_as_it_goes() {
        let closing = read(&capsule(CLOSE_SESSION, b"\0\0\0\0a\xff"), 9).closing.unwrap();
        assert_eq!(closing.reason, "a\u{fffd}");
    }
}
