//! A response body that is sent in coded blocks: where its datagrams are cut, and the parity between them.

use bytes::{Buf, Bytes};

use crate::coding::Encoder;
use crate::parity::{Block, Blocks, Parity};

/// One block at a time: its data pass by, then its parity is there to be sent, then the next block begins. No more is
/// kept than the parity of that block, which is at most 64 symbols.
#[derive(Debug)]
pub struct CodedBody {
    parity: Parity,
    blocks: Blocks,
    block: Option<Block>,
    encoder: Encoder,
    /// Bytes of the body that have passed.
    place: u64,
    /// Parity of the block whose data are sent, as far as it is not sent itself.
    due: Bytes,
    /// Its place in the flow.
    due_offset: u64,
}

impl CodedBody {
    /// The parity of a body that consists of ranges of these lengths.
    pub fn new(parity: Parity, ranges: Vec<u64>) -> Self {
        let blocks = parity.blocks(ranges);
        let (encoder, due) = (Encoder::default(), Bytes::new());
        let mut body = Self { parity, blocks, block: None, encoder, place: 0, due, due_offset: 0 };
        body.begin();
        body
    }

    pub fn parity(&self) -> &Parity {
        &self.parity
    }

    /// Parity that is sent before the next data, and its place in the flow.
    pub fn due(&self) -> Option<(u64, &[u8])> {
        (!self.due.is_empty()).then_some((self.due_offset, &self.due[..]))
    }

    /// Bytes of the body in the next datagram, for which there is that much room: whole symbols of one block.
    pub fn data_bytes(&self, room: usize) -> usize {
        let left = self.block.map_or(0, |block| (block.end - self.place) as usize);
        self.whole_symbols(room).min(left)
    }

    /// The same, of parity.
    pub fn parity_bytes(&self, room: usize) -> usize {
        self.whole_symbols(room).min(self.due.len())
    }

    /// The data of a datagram are in a packet. `may_send_parity` counts at the end of a block.
    pub fn data_sent(&mut self, data: &[u8], may_send_parity: bool) {
        let Some(block) = self.block else { return };
        let first = (self.place - block.start) / block.symbol_bytes;
        for (number, symbol) in (first..).zip(data.chunks(block.symbol_bytes as usize)) {
            self.encoder.add(number as u8, symbol);
        }
        self.place += data.len() as u64;
        if self.place < block.end {
            return;
        }
        if self.parity.always || may_send_parity {
            (self.due, self.due_offset) = (self.encoder.parity().into(), block.parity_start);
        }
        if self.due.is_empty() {
            self.begin();
        }
    }

    /// That many bytes of parity are in a packet.
    pub fn parity_sent(&mut self, count: usize) {
        self.due.advance(count);
        self.due_offset += count as u64;
        if self.due.is_empty() {
            self.begin();
        }
    }

    fn begin(&mut self) {
        self.block = self.blocks.next();
        if let Some(block) = self.block {
            self.encoder = Encoder::new(block.sent_parity() as usize, block.symbol_bytes as usize);
        }
    }

    fn whole_symbols(&self, room: usize) -> usize {
        let size = self.block.map_or(1, |block| block.symbol_bytes as usize);
        if self.parity.symbol.is_some() { size } else { (room / size).max(1) * size }
    }
}
