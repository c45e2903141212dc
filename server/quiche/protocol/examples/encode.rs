//! How fast parity is made: `cargo run --release -p voxel-protocol --example encode` prints JSON, Mbit/s of data that are
//! coded, by the number of parity symbols for 128 data symbols of 1150 bytes.

use std::time::{Duration, Instant};

use voxel_protocol::coding::Encoder;

const SYMBOLS: u8 = 128;
const SYMBOL_BYTES: usize = 1150;
const MEASURED: Duration = Duration::from_secs(1);

fn main() {
    let symbols: Vec<Vec<u8>> =
        (0..SYMBOLS).map(|index| (0..SYMBOL_BYTES).map(|place| (place * 31) as u8 ^ index).collect()).collect();
    let rates = [1, 3, 6, 12, 24, 64].map(|count| format!("\"{count}\":{:.0}", rate(count, &symbols)));
    println!("{{{}}}", rates.join(","));
}

/// Mbit/s, of the fastest of many blocks: others use the machine, too.
fn rate(count: usize, symbols: &[Vec<u8>]) -> f64 {
    let (start, mut least) = (Instant::now(), Duration::MAX);
    while start.elapsed() < MEASURED {
        let begun = Instant::now();
        let mut encoder = Encoder::new(count, SYMBOL_BYTES);
        for (index, symbol) in (0..).zip(symbols) {
            encoder.add(index, symbol);
        }
        std::hint::black_box(encoder.parity());
        least = least.min(begun.elapsed());
    }
    (symbols.len() * SYMBOL_BYTES * 8) as f64 / least.as_secs_f64() / 1e6
}
