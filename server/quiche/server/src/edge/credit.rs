//! What a client may make the edge fetch beyond what the client reads: whole blocks for few bytes of each.

use std::time::{Duration, Instant};

/// Bytes beyond twice those that a client has read: eight blocks, more than a viewer leaves unread who seeks, or
/// gets few frames of a segment.
const MOST: f64 = 4.0 * 1024.0 * 1024.0;

/// Bytes per second by which it grows by itself, up to [`MOST`]: a viewer of half a Mbit/s who reads next to nothing of each
/// block never runs out of it.
const GROWTH: f64 = 64.0 * 1024.0;

/// What a request costs the origin beside the bytes that were asked for.
const REQUEST: f64 = 1024.0;

/// Least credit with which exact parts are asked for at once; with less they wait.
const LEAST: f64 = -1024.0 * 1024.0;

/// Bytes, which may be a debt.
#[derive(Debug)]
pub struct Credit {
    bytes: f64,
    at: Instant,
}

impl Credit {
    pub fn new(now: Instant) -> Self {
        Self { bytes: MOST, at: now }
    }

    /// The client reads bytes, wherever they come from.
    pub fn earn(&mut self, read: u64, now: Instant) {
        let bytes = self.now(now) + 2.0 * read as f64;
        *self = Self { bytes: bytes.min(MOST), at: now };
    }

    /// The origin is asked for bytes on behalf of the client.
    pub fn spend(&mut self, asked: u64, now: Instant) {
        *self = Self { bytes: self.now(now) - asked as f64 - REQUEST, at: now };
    }

    /// Whether more may be fetched than what is asked for.
    pub fn suffices(&self, now: Instant) -> bool {
        self.now(now) >= 0.0
    }

    pub fn is_full(&self, now: Instant) -> bool {
        self.now(now) >= MOST
    }

    /// Time until exactly what is asked for may be fetched.
    pub fn wait(&self, now: Instant) -> Duration {
        Duration::from_secs_f64((LEAST - self.now(now)).max(0.0) / GROWTH)
    }

    fn now(&self, now: Instant) -> f64 {
        MOST.min(self.bytes + GROWTH * now.duration_since(self.at).as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BLOCK: u64 = 512 * 1024;

    #[test]
    fn who_reads_at_least_half_of_what_is_fetched_never_runs_out() {
        let now = Instant::now();
        let mut credit = Credit::new(now);
        for _ in 0..10_000 {
            assert!(credit.suffices(now));
            credit.spend(BLOCK, now);
            credit.earn(BLOCK / 2 + 512, now);
        }
    }

    #[test]
    fn who_reads_one_byte_of_each_block_gets_eight_blocks_and_waits_for_more() {
        let begun = Instant::now();
        let mut credit = Credit::new(begun);
        let mut blocks = 0;
        while credit.suffices(begun) {
            credit.spend(BLOCK, begun);
            credit.earn(1, begun);
            blocks += 1;
        }
        assert_eq!(blocks, 8);
        assert!(credit.suffices(begun + Duration::from_secs(8)) && !credit.is_full(begun + Duration::from_secs(60)));
        assert!(credit.is_full(begun + Duration::from_secs(80)));
    }

    proptest! {
        #[test]
        fn no_more_is_fetched_than_twice_what_is_read_and_a_bound(
            steps in proptest::collection::vec((0u64..2_000_000, 0u64..3_000_000, 0u64..2000), 0..100),
        ) {
            let (begun, mut now) = (Instant::now(), Instant::now());
            let (mut credit, mut fetched, mut read) = (Credit::new(begun), 0, 0);
            for (asked, more, pause) in steps {
                now += Duration::from_millis(pause);
                if credit.suffices(now) {
                    credit.spend(asked, now);
                    fetched += asked;
                }
                credit.earn(more, now);
                read += more;
                prop_assert!(credit.wait(now) <= Duration::from_secs(16));
            }
            let grown = GROWTH * (now - begun).as_secs_f64() + 1.0;
            prop_assert!(fetched as f64 <= 2.0 * read as f64 + MOST + grown + 2_000_000.0);
        }
    }
}
