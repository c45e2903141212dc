//! The header `x-voxel-parity` and the blocks that it asks for (docs/PROTOCOL.md, "Parity").

use std::fmt;
use std::ops::RangeInclusive;

use sfv::{BareItem, InnerList, List, ListEntry, Parser};

const AMOUNT_COUNT: RangeInclusive<usize> = 1..=64;
const AMOUNTS: RangeInclusive<u64> = 0..=64;
const BLOCK_SYMBOLS: RangeInclusive<u64> = 1..=192;
const SYMBOL_BYTES: RangeInclusive<u64> = 64..=1400;

/// What a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parity {
    /// Parity symbols of each block, 0 to 64; the last number holds for all further blocks.
    pub amounts: Vec<u64>,
    /// Data symbols of a block, 1 to 192.
    pub block: u64,
    /// Bytes of a symbol, 64 to 1400; `None`: every range is a block, of symbols of equal length.
    pub symbol: Option<u64>,
    /// Whether parity is sent whatever the link does.
    pub always: bool,
}

impl Parity {
    /// The header; `None` if it is malformed or a value is out of bounds.
    pub fn parse(value: &str) -> Option<Self> {
        let list = Parser::new(value).parse::<List>().ok()?;
        let [ListEntry::InnerList(InnerList { items, params })] = &list[..] else { return None };
        let amounts = items.iter().map(|item| integer(&item.bare_item, &AMOUNTS)).collect::<Option<Vec<_>>>()?;
        let symbol = match params.get("symbol") {
            Some(item) => Some(integer(item, &SYMBOL_BYTES)?),
            None => None,
        };
        let always = match params.get("always") {
            Some(BareItem::Boolean(always)) => *always,
            Some(_) => return None,
            None => false,
        };
        let block = integer(params.get("block")?, &BLOCK_SYMBOLS)?;
        AMOUNT_COUNT.contains(&amounts.len()).then_some(Self { amounts, block, symbol, always })
    }

    /// Bytes of the longest symbol of a body that consists of ranges of these lengths.
    pub fn longest_symbol(&self, ranges: &[u64]) -> u64 {
        let longest = ranges.iter().max().copied().unwrap_or_default();
        self.symbol.unwrap_or(longest.div_ceil(self.block))
    }

    /// The blocks of a body that consists of ranges of these lengths.
    pub fn blocks(&self, ranges: Vec<u64>) -> Blocks {
        let length: u64 = ranges.iter().sum();
        let parity_start = self.symbol.map_or(length, |symbol| length.next_multiple_of(symbol));
        Blocks { parity: self.clone(), ranges, length, number: 0, start: 0, parity_start }
    }
}

impl fmt::Display for Parity {
    /// The header.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let amounts: Vec<_> = self.amounts.iter().map(u64::to_string).collect();
        write!(formatter, "({});block={}", amounts.join(" "), self.block)?;
        if let Some(symbol) = self.symbol {
            write!(formatter, ";symbol={symbol}")?;
        }
        formatter.write_str(if self.always { ";always" } else { "" })
    }
}

fn integer(item: &BareItem, bounds: &RangeInclusive<u64>) -> Option<u64> {
    let BareItem::Integer(number) = item else { return None };
    u64::try_from(i64::from(*number)).ok().filter(|number| bounds.contains(number))
}

/// Data that are coded together: bytes `start` to `end` of the body, half-open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub start: u64,
    pub end: u64,
    /// Data symbols; those that reach beyond `end` count as filled up with zeros.
    pub symbols: u64,
    pub symbol_bytes: u64,
    /// Parity symbols that were asked for.
    pub parity: u64,
    /// Place of the first one in the flow; the others follow.
    pub parity_start: u64,
}

impl Block {
    /// Parity symbols that are sent: never more than the block has data symbols that are full, so no more bytes than data.
    pub fn sent_parity(&self) -> u64 {
        self.parity.min((self.end - self.start).checked_div(self.symbol_bytes).unwrap_or(0))
    }
}

/// The blocks of a body, in order.
#[derive(Debug)]
pub struct Blocks {
    parity: Parity,
    ranges: Vec<u64>,
    length: u64,
    number: usize,
    start: u64,
    parity_start: u64,
}

impl Iterator for Blocks {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        let Self { parity, start, parity_start, .. } = self;
        if *start == self.length {
            return None;
        }
        let (bytes, symbol_bytes, symbols) = if let Some(symbol) = parity.symbol {
            let bytes = (self.length - *start).min(parity.block * symbol);
            (bytes, symbol, bytes.div_ceil(symbol))
        } else {
            let bytes = self.ranges[self.number];
            (bytes, bytes.div_ceil(parity.block), parity.block)
        };
        let amount = parity.amounts[self.number.min(parity.amounts.len() - 1)];
        let (end, place) = (*start + bytes, *parity_start);
        let block = Block { start: *start, end, symbols, symbol_bytes, parity: amount, parity_start: place };
        self.number += 1;
        *start = end;
        *parity_start += amount * symbol_bytes;
        Some(block)
    }
}
