//! A response body that is sent as datagrams: `varint flow | varint offset | payload`.

use bytes::{Buf, BytesMut};

use crate::varint;

/// The next datagram of a flow.
#[derive(Debug, PartialEq, Eq)]
pub struct Datagram {
    pub bytes: Vec<u8>,
    /// Bytes of the body in the datagram.
    pub payload: usize,
}

/// The bytes of a body that are read but not sent, and the number of those sent.
///
/// `push` adds bytes in order; `next_datagram` and `commit` take them out as datagrams.
#[derive(Debug)]
pub struct Flow {
    number: u64,
    length: u64,
    datagram_size: usize,
    /// The bytes that every datagram starts with.
    head: Vec<u8>,
    pushed: u64,
    unsent: BytesMut,
    sent_bytes: u64,
    sent_datagrams: u64,
    stopped: bool,
}

impl Flow {
    /// `length`: bytes of the body; `datagram_size`: bytes of a datagram; `prefix`: the bytes that every datagram
    /// starts with.
    pub fn new(number: u64, length: u64, datagram_size: usize, prefix: &[u8]) -> Self {
        let mut head = prefix.to_vec();
        varint::encode(number, &mut head);
        let unsent = BytesMut::new();
        Self {
            number,
            length,
            datagram_size,
            head,
            pushed: 0,
            unsent,
            sent_bytes: 0,
            sent_datagrams: 0,
            stopped: false,
        }
    }

    pub fn number(&self) -> u64 {
        self.number
    }

    /// Bytes of the whole body.
    pub fn length(&self) -> u64 {
        self.length
    }

    pub fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    pub fn sent_datagrams(&self) -> u64 {
        self.sent_datagrams
    }

    /// Bytes pushed but not sent.
    pub fn unsent_bytes(&self) -> usize {
        self.unsent.len()
    }

    /// Whether the flow will have no more datagrams.
    pub fn finished(&self) -> bool {
        self.stopped || self.sent_bytes == self.length
    }

    /// Adds the body's next bytes.
    pub fn push(&mut self, data: &[u8]) {
        if !self.stopped {
            self.pushed += data.len() as u64;
            self.unsent.extend_from_slice(data);
        }
    }

    /// Drops the unsent bytes: the deadline has passed or the client has cancelled the request.
    pub fn stop(&mut self) {
        self.stopped = true;
        self.unsent = BytesMut::new();
    }

    /// The next datagram; `None` if the flow has finished or the bytes pushed so far do not fill a datagram.
    pub fn next_datagram(&self) -> Option<Datagram> {
        if self.finished() {
            return None;
        }
        let mut bytes = Vec::with_capacity(self.datagram_size);
        bytes.extend_from_slice(&self.head);
        varint::encode(self.sent_bytes, &mut bytes);
        let room = self.datagram_size.saturating_sub(bytes.len());
        if room == 0 || (self.unsent.len() < room && self.pushed < self.length) {
            return None;
        }
        let payload = room.min(self.unsent.len());
        bytes.extend_from_slice(&self.unsent[..payload]);
        Some(Datagram { bytes, payload })
    }

    /// Must be called when the datagram of [`Flow::next_datagram`], with `payload` bytes of the body, is in a packet.
    pub fn commit(&mut self, payload: usize) {
        self.unsent.advance(payload);
        self.sent_bytes += payload as u64;
        self.sent_datagrams += 1;
    }
}

/// Flow, offset and payload of a datagram; `None` if it is malformed.
pub fn parse_datagram(datagram: &[u8]) -> Option<(u64, u64, &[u8])> {
    let (flow, first) = varint::decode(datagram)?;
    let (offset, second) = varint::decode(&datagram[first..])?;
    Some((flow, offset, &datagram[first + second..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_datagrams_of_the_protocol_document() {
        let mut flow = Flow::new(17, 20_000, 9218, b"");
        flow.push(&vec![7; 20_000]);
        let first = flow.next_datagram().unwrap();
        assert_eq!((&first.bytes[..3], first.payload), (&[0x11, 0x00, 7][..], 9216));
        flow.commit(first.payload);
        assert_eq!(flow.next_datagram().unwrap().bytes[..4], [0x11, 0x64, 0x00, 7]);
    }

    proptest! {
        #[test]
        fn every_byte_goes_once_in_order_however_it_is_pushed(
            pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..400), 0..12),
            number in 0..=varint::MAX, size in 32usize..200,
        ) {
            let body = pieces.concat();
            let mut flow = Flow::new(number, body.len() as u64, size, b"");
            let (mut received, mut count) = (Vec::new(), 0);
            for piece in &pieces {
                flow.push(piece);
                while let Some(datagram) = flow.next_datagram() {
                    prop_assert!(datagram.bytes.len() <= size);
                    let (flow_number, offset, payload) = parse_datagram(&datagram.bytes).unwrap();
                    prop_assert_eq!((flow_number, offset), (number, received.len() as u64));
                    prop_assert_eq!(payload.len(), datagram.payload);
                    received.extend_from_slice(payload);
                    count += 1;
                    flow.commit(datagram.payload);
                }
            }
            prop_assert_eq!(&received, &body);
            prop_assert!(flow.finished());
            prop_assert_eq!((flow.sent_bytes(), flow.sent_datagrams()), (body.len() as u64, count));
        }

        #[test]
        fn any_datagram_is_read_or_refused(data in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Some((_, _, payload)) = parse_datagram(&data) {
                prop_assert!(payload.len() + 2 <= data.len());
            }
        }
    }
}
