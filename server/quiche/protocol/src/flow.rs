//! A response body that is sent as datagrams: `varint flow | varint offset | payload`.

use std::collections::VecDeque;

use bytes::{Buf, BytesMut};

use crate::coded::CodedBody;
use crate::parity::Parity;
use crate::varint;

/// Bytes (RFC 9000 section 16).
const LONGEST_VARINT: usize = 8;

/// The number of a flow, and of its part in a response that follows a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowId {
    pub number: u64,
    /// 0 for a flow of one part; else the number of the chunk and one.
    pub part: u64,
}

impl From<u64> for FlowId {
    fn from(number: u64) -> Self {
        Self { number, part: 0 }
    }
}

/// The next datagram of a flow.
#[derive(Debug, PartialEq, Eq)]
pub struct Datagram {
    pub bytes: Vec<u8>,
    /// Bytes of the body, or of parity, in the datagram.
    pub payload: usize,
}

/// The bytes of a body that are read but not sent, and the number of those sent.
///
/// `push` adds bytes in order; `next_datagram` and `commit` take them out as datagrams.
#[derive(Debug, Default)]
pub struct Flow {
    id: FlowId,
    length: u64,
    /// The offset of the body's first byte.
    first_offset: u64,
    /// Ends of the pieces of the body that are not sent: no datagram has bytes of two.
    ends: VecDeque<u64>,
    /// Whether something else goes first.
    held: bool,
    datagram_size: usize,
    /// The bytes that every datagram starts with.
    head: Vec<u8>,
    pushed: u64,
    unsent: BytesMut,
    sent_bytes: u64,
    sent_parity_bytes: u64,
    sent_datagrams: u64,
    stopped: bool,
    coded: Option<CodedBody>,
}

impl Flow {
    /// A flow with nothing pushed yet. `length`: bytes of the body; `datagram_size`: bytes of a datagram; `prefix`: the
    /// bytes that every datagram starts with.
    pub fn new(number: u64, length: u64, datagram_size: usize, prefix: &[u8]) -> Self {
        let mut head = prefix.to_vec();
        varint::encode(number, &mut head);
        let ends = VecDeque::from([length]);
        Self { id: number.into(), length, ends, datagram_size, head, ..Self::default() }
    }

    /// The frames, of these lengths, of one chunk of a response that follows a file. `first_offset`: of the first frame.
    pub fn of_frames(id: FlowId, first_offset: u64, frames: &[u64], datagram_size: usize, prefix: &[u8]) -> Self {
        let mut end = 0;
        let ends = frames.iter().map(|length| {
            end += length;
            end
        });
        let ends = ends.collect();
        Self { id, first_offset, ends, ..Self::new(id.number, frames.iter().sum(), datagram_size, prefix) }
    }

    /// Adds parity to a body that consists of ranges of these lengths. The flow stays as it is if a symbol is too long for
    /// a datagram.
    #[must_use]
    pub fn with_parity(mut self, parity: Parity, ranges: Vec<u64>) -> Self {
        let room = self.datagram_size.saturating_sub(self.head.len() + LONGEST_VARINT);
        if parity.longest_symbol(&ranges) <= room as u64 {
            self.coded = Some(CodedBody::new(parity, ranges));
        }
        self
    }

    pub fn id(&self) -> FlowId {
        self.id
    }

    pub fn number(&self) -> u64 {
        self.id.number
    }

    /// Lets no datagram leave, or lets them leave again.
    pub fn hold(&mut self, held: bool) {
        self.held = held;
    }

    /// Bytes of the whole body.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Bytes of the body that were sent.
    pub fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    /// Bytes of parity that were sent; `None`: there is none in this flow.
    pub fn sent_parity_bytes(&self) -> Option<u64> {
        self.coded.as_ref().map(|_| self.sent_parity_bytes)
    }

    /// What was asked for, as far as it is honoured.
    pub fn parity(&self) -> Option<&Parity> {
        self.coded.as_ref().map(CodedBody::parity)
    }

    /// Datagrams that were sent, with those of parity.
    pub fn sent_datagrams(&self) -> u64 {
        self.sent_datagrams
    }

    /// Bytes pushed but not sent.
    pub fn unsent_bytes(&self) -> usize {
        self.unsent.len()
    }

    /// Whether the flow will have no more datagrams.
    pub fn finished(&self) -> bool {
        self.stopped || (self.sent_bytes == self.length && self.due().is_none())
    }

    fn due(&self) -> Option<(u64, &[u8])> {
        self.coded.as_ref().and_then(CodedBody::due)
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
        if self.finished() || self.held {
            return None;
        }
        let mut bytes = Vec::with_capacity(self.datagram_size);
        bytes.extend_from_slice(&self.head);
        let due = self.due();
        varint::encode(due.map_or(self.first_offset + self.sent_bytes, |(offset, _)| offset), &mut bytes);
        let mut room = self.datagram_size.saturating_sub(bytes.len());
        if let (Some(coded), Some((_, parity))) = (&self.coded, due) {
            let payload = coded.parity_bytes(room);
            bytes.extend_from_slice(&parity[..payload]);
            return Some(Datagram { bytes, payload });
        }
        if let Some(coded) = &self.coded {
            room = coded.data_bytes(room);
        }
        let piece = self.ends.front().map_or(0, |end| end - self.sent_bytes);
        room = room.min(usize::try_from(piece).unwrap_or(usize::MAX));
        if room == 0 || (self.unsent.len() < room && self.pushed < self.length) {
            return None;
        }
        let payload = room.min(self.unsent.len());
        bytes.extend_from_slice(&self.unsent[..payload]);
        Some(Datagram { bytes, payload })
    }

    /// Counts the datagram of [`Flow::next_datagram`], with `payload` bytes of the body or of parity, as sent: it is in
    /// a packet. `may_send_parity`: whether the link has room for it, which counts after the last data of a block.
    pub fn commit(&mut self, payload: usize, may_send_parity: bool) {
        self.sent_datagrams += 1;
        if let Some(coded) = &mut self.coded {
            if coded.due().is_some() {
                self.sent_parity_bytes += payload as u64;
                return coded.parity_sent(payload);
            }
            coded.data_sent(&self.unsent[..payload], may_send_parity);
        }
        self.unsent.advance(payload);
        self.sent_bytes += payload as u64;
        if self.ends.front() == Some(&self.sent_bytes) {
            self.ends.pop_front();
        }
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
    use crate::coding::Encoder;

    #[test]
    fn a_symbol_that_is_too_long_for_a_datagram_is_no_parity_at_all() {
        let parity = |symbol| Parity { amounts: vec![1], block: 1, symbol, always: false };
        let flow = |symbol, length| Flow::new(1, length, 120, b"").with_parity(parity(symbol), vec![length]);
        assert!(flow(Some(112), 50).parity().is_none());
        assert!(flow(None, 112).parity().is_none());
        assert!(flow(Some(111), 50).parity().is_some());
        assert!(flow(None, 111).parity().is_some());
    }

    #[test]
    fn the_datagrams_of_the_protocol_document() {
        let mut flow = Flow::new(17, 20_000, 9218, b"");
        flow.push(&vec![7; 20_000]);
        let first = flow.next_datagram().unwrap();
        assert_eq!((&first.bytes[..3], first.payload), (&[0x11, 0x00, 7][..], 9216));
        flow.commit(first.payload, true);
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
                    flow.commit(datagram.payload, true);
                }
            }
            prop_assert_eq!(&received, &body);
            prop_assert!(flow.finished());
            prop_assert_eq!((flow.sent_bytes(), flow.sent_datagrams()), (body.len() as u64, count));
        }

        #[test]
        fn coded_blocks_carry_every_byte_once_and_the_codecs_parity_behind_it(
            ranges in proptest::collection::vec(1u64..700, 1..5),
            amounts in proptest::collection::vec(0u64..9, 1..4),
            block in 1u64..12,
            symbol in proptest::option::of(64u64..120),
            always in any::<bool>(),
            size in 140usize..300,
            links in proptest::collection::vec(any::<bool>(), 1..6),
            piece in 1usize..2000,
        ) {
            let parity = Parity { amounts, block, symbol, always };
            prop_assume!(parity.longest_symbol(&ranges) <= size as u64 - 9);
            let length = ranges.iter().sum::<u64>();
            let body: Vec<u8> = (0..length).map(|place| (place * place % 251) as u8).collect();
            let mut flow = Flow::new(5, length, size, b"").with_parity(parity.clone(), ranges.clone());
            let (mut sent, mut blocks) = (Vec::new(), parity.blocks(ranges.clone()).zip(links.iter().cycle()).peekable());
            for bytes in body.chunks(piece) {
                flow.push(bytes);
                while let Some(datagram) = flow.next_datagram() {
                    prop_assert!(datagram.bytes.len() <= size);
                    let (_, offset, payload) = parse_datagram(&datagram.bytes).unwrap();
                    prop_assert_eq!(payload.len(), datagram.payload);
                    sent.push((offset, payload.to_vec()));
                    while blocks.next_if(|(block, _)| offset >= block.end && offset < length).is_some() {}
                    flow.commit(datagram.payload, *blocks.peek().unwrap().1);
                }
            }
            prop_assert!(flow.finished());
            let mut sent = sent.into_iter();
            for (block, link) in parity.blocks(ranges).zip(links.iter().cycle()) {
                let mut encoder = Encoder::new(block.parity as usize, block.symbol_bytes as usize);
                let data = &body[block.start as usize..block.end as usize];
                for (index, symbol) in (0..).zip(data.chunks(block.symbol_bytes as usize)) {
                    encoder.add(index, symbol);
                }
                let mut wanted = encoder.parity();
                wanted.truncate((block.sent_parity() * block.symbol_bytes) as usize);
                let count = if always || *link { wanted.len() } else { 0 };
                for (place, bytes) in [(block.start, data), (block.parity_start, &wanted[..count])] {
                    let mut done = 0;
                    while done < bytes.len() {
                        let (offset, payload) = sent.next().unwrap();
                        prop_assert_eq!(offset, place + done as u64);
                        prop_assert_eq!(&payload[..], &bytes[done..done + payload.len()]);
                        done += payload.len();
                        prop_assert!((payload.len() as u64).is_multiple_of(block.symbol_bytes) || done == bytes.len());
                        prop_assert!(symbol.is_none_or(|symbol| payload.len() as u64 <= symbol));
                    }
                }
            }
            prop_assert_eq!(sent.next(), None);
            prop_assert_eq!(flow.sent_bytes(), length);
        }

        #[test]
        fn any_datagram_is_read_or_refused(data in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Some((_, _, payload)) = parse_datagram(&data) {
                prop_assert!(payload.len() + 2 <= data.len());
            }
        }
    }
}
