//! Cauchy Reed–Solomon code over GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (docs/PROTOCOL.md, "Parity").
//!
//! The matrix is that of J. Blömer et al., An XOR-based erasure-resilient coding scheme (1995). Coordinates depend on
//! nothing but the symbol's number: more parity of the same data can be made later.

/// Symbols of data and parity together: each needs a coordinate of its own.
pub const MAX_SYMBOLS: usize = 256;

/// The polynomial without its highest term.
const POLYNOMIAL: u8 = 0x1d;

/// Bytes that are worked on at once: their products with all nibbles stay in the fastest cache, and the compiler uses
/// vector instructions.
const LANES: usize = 64;

/// The inverse of every byte; that of 0 is 0.
const INVERSES: [u8; 256] = {
    let mut powers = [1u8; 255];
    let mut exponent = 1;
    while exponent < 255 {
        powers[exponent] = double(powers[exponent - 1]);
        exponent += 1;
    }
    let mut inverses = [0; 256];
    let mut exponent = 0;
    while exponent < 255 {
        inverses[powers[exponent] as usize] = powers[(255 - exponent) % 255];
        exponent += 1;
    }
    inverses
};

const fn double(byte: u8) -> u8 {
    (byte << 1) ^ (POLYNOMIAL & 0u8.wrapping_sub(byte >> 7))
}

type Lane = [u8; LANES];

/// The products of a lane with all nibbles and with all nibbles shifted by four: every other product is the sum of two.
struct Products([[Lane; 16]; 2]);

impl Products {
    fn of(lane: &Lane) -> Self {
        let mut products = [[[0; LANES]; 16]; 2];
        let mut power = *lane;
        for half in &mut products {
            for nibble in 1..16usize {
                if nibble.is_power_of_two() {
                    half[nibble] = power;
                    power = power.map(double);
                } else {
                    let (one, other) = (half[nibble & (nibble - 1)], half[nibble & nibble.wrapping_neg()]);
                    half[nibble] = one;
                    add(&mut half[nibble], &other);
                }
            }
        }
        Self(products)
    }

    fn add_to(&self, sum: &mut Lane, factor: u8) {
        let Self([low, high]) = self;
        add(sum, &low[usize::from(factor & 15)]);
        add(sum, &high[usize::from(factor >> 4)]);
    }
}

fn add(sum: &mut Lane, lane: &Lane) {
    for (total, byte) in sum.iter_mut().zip(lane) {
        *total ^= byte;
    }
}

/// Makes the parity symbols of one block while its data symbols go by.
#[derive(Debug, Default)]
pub struct Encoder {
    symbol_bytes: usize,
    /// Sums by lane, then by symbol.
    sums: Vec<Vec<Lane>>,
}

impl Encoder {
    /// An encoder of `count` parity symbols of `symbol_bytes` each.
    pub fn new(count: usize, symbol_bytes: usize) -> Self {
        let lanes = if count == 0 { 0 } else { symbol_bytes.div_ceil(LANES) };
        Self { symbol_bytes, sums: vec![vec![[0; LANES]; count]; lanes] }
    }

    /// Adds data symbol `index`, once; a shorter one counts as filled up with zeros.
    pub fn add(&mut self, index: u8, symbol: &[u8]) {
        for (bytes, sums) in symbol.chunks(LANES).zip(&mut self.sums) {
            let mut lane = [0; LANES];
            lane[..bytes.len()].copy_from_slice(bytes);
            let products = Products::of(&lane);
            for (coordinate, sum) in (0..=u8::MAX).rev().zip(sums) {
                products.add_to(sum, INVERSES[usize::from(coordinate ^ index)]);
            }
        }
    }

    /// Parity of the data added so far, one symbol after the other.
    pub fn parity(&self) -> Vec<u8> {
        let count = self.sums.first().map_or(0, Vec::len);
        let mut parity = Vec::with_capacity(count * self.symbol_bytes);
        for number in 0..count {
            let end = parity.len() + self.symbol_bytes;
            for sums in &self.sums {
                let rest = end - parity.len();
                parity.extend_from_slice(&sums[number][..rest.min(LANES)]);
            }
        }
        parity
    }
}
