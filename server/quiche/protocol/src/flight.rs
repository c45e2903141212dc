//! How many bytes are in flight, which quiche 0.30 does not tell: it tells how many it has sent, and how many were acknowledged or lost.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A smaller packet holds nothing but acknowledgements, which nobody acknowledges.
const LEAST_BYTES: usize = 100;

/// Clocks of what has sent a packet and of what counts it differ by less.
const CLOCKS: Duration = Duration::from_millis(2);
/// What a client may wait before it acknowledges (`max_ack_delay` of RFC 9000 section 18.2), by which a round trip seems shorter.
const ACKNOWLEDGEMENT_DELAY: Duration = Duration::from_millis(25);

/// Packets that have been sent and neither acknowledged nor lost.
#[derive(Debug, Default)]
pub struct Flight {
    bytes: usize,
    /// When packets left, and their bytes.
    sent: VecDeque<(Instant, usize)>,
}

impl Flight {
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Counts a packet that leaves at `now`.
    pub fn sent(&mut self, now: Instant, bytes: usize) {
        if bytes >= LEAST_BYTES {
            self.bytes += bytes;
            self.sent.push_back((now, bytes));
        }
    }

    /// Takes out bytes of packets that are acknowledged or lost.
    pub fn gone(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// Corrects the count. `newest`: when the newest packet that is acknowledged left, or up to the client's delay later.
    ///
    /// Packets that hold acknowledgements alone and small ones that do not are taken for each other, so bytes alone would drift. But what
    /// left before the newest packet is gone, and what left after it is not.
    pub fn correct(&mut self, newest: Instant) {
        while self.sent.front().is_some_and(|(time, _)| *time + CLOCKS + ACKNOWLEDGEMENT_DELAY < newest) {
            self.sent.pop_front();
        }
        let most = self.sent.iter().map(|(_, bytes)| bytes).sum();
        let least =
            self.sent.iter().rev().take_while(|(time, _)| *time > newest + CLOCKS).map(|(_, bytes)| bytes).sum();
        self.bytes = self.bytes.clamp(least, most);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PACKET: usize = 1350;
    const STEP: Duration = Duration::from_millis(10);
    /// In steps.
    const ROUND_TRIP: usize = 10;

    #[test]
    fn packets_are_in_flight_until_they_are_acknowledged_or_lost() {
        let (start, mut flight) = (Instant::now(), Flight::default());
        for _ in 0..4 {
            flight.sent(start, PACKET);
        }
        flight.gone(PACKET);
        flight.correct(start);
        assert_eq!(flight.bytes(), 3 * PACKET);
        flight.gone(3 * PACKET);
        assert_eq!(flight.bytes(), 0);
    }

    #[test]
    fn acknowledgements_alone_are_not_in_flight() {
        let (start, mut flight) = (Instant::now(), Flight::default());
        flight.sent(start, 40);
        assert_eq!(flight.bytes(), 0);
    }

    proptest! {
        /// A path that delivers in order: small packets that are acknowledged, and such that are not, move the count by little.
        #[test]
        fn the_count_does_not_drift(
            packets in proptest::collection::vec((prop_oneof![Just(40usize), Just(45), Just(120), Just(PACKET)], any::<bool>()), 50..300),
        ) {
            let (start, mut flight) = (Instant::now(), Flight::default());
            for (index, (bytes, _)) in packets.iter().enumerate() {
                let now = start + STEP * index as u32;
                flight.sent(now, *bytes);
                if let Some(arrived) = index.checked_sub(ROUND_TRIP) {
                    let (bytes, is_counted) = packets[arrived];
                    let gone = if bytes == PACKET || is_counted { bytes } else { 0 };
                    flight.gone(gone);
                    flight.correct(start + STEP * arrived as u32);
                    let after = |from: usize| packets[from.min(index + 1)..=index].iter().map(|it| it.0).filter(|it| *it >= LEAST_BYTES).sum();
                    let (least, most): (usize, usize) = (after(arrived + 1), after(arrived.saturating_sub(3)));
                    prop_assert!((least..=most).contains(&flight.bytes()), "{least} {most} {}", flight.bytes());
                }
            }
        }
    }
}
