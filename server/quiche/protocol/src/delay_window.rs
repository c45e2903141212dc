//! How many bytes of a live session should be in flight: what the path carries, with a queue of at most 75 ms.
//!
//! What waits in a queue cannot be overtaken by a frame that matters more, nor left out when it is late. CUBIC ([`crate::window`]) fills every
//! queue, and 32 packets are a second at 0.3 Mbit/s. So a live stream takes the round trip for its signal, and a loss only where packets wait.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::flight::Flight;
use crate::window::{BETA, INITIAL_PACKETS, LEAST_PACKETS};

/// What packets may wait in the path: of 25 to 150 ms, 50 to 75 bring live streams the fewest interruptions.
pub const MOST_QUEUE: Duration = Duration::from_millis(75);
/// Half of that. With a shorter queue the window may double in a round trip.
pub const SHORT_QUEUE: Duration = Duration::from_micros(37_500);
/// With a shorter queue a loss is an accident of the path. A queue that is managed (RFC 8289) drops before one is long.
const LEAST_LOSSY_QUEUE: Duration = Duration::from_millis(20);

const MOST_PACKETS: f64 = 256.0;

/// What a long queue leaves of the window that would make it just as long as it may be: whether it is this sender's shows.
const DRAINED: f64 = 0.9;
/// Windows that leave per round trip: a path whose rate grows is found out before the next chunk.
const PACE: f64 = 1.5;

/// A path's shortest round trip is that of the last 30 s: phones change it.
const LEAST_MEMORY: Duration = Duration::from_secs(30);
const LEAST_STEP: Duration = Duration::from_millis(500);

/// Least time over which a rate is measured, and for which acknowledgements are kept.
const RATE_SPAN: Duration = Duration::from_millis(50);
const RATE_MEMORY: Duration = Duration::from_secs(2);

/// What an acknowledgement says.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledgement {
    /// Round trip of the newest packet that it acknowledges, without the client's delay; `None`: unknown, or nothing was acknowledged
    /// and packets are lost.
    pub rtt: Option<Duration>,
    /// RFC 9002 section 5.3.
    pub smoothed_rtt: Duration,
    /// Bytes that it acknowledges.
    pub bytes: usize,
    /// Bytes that are lost since the last one.
    pub lost: usize,
}

/// A congestion window by delay, in bytes.
#[derive(Debug)]
pub struct DelayWindow {
    /// Bytes of a full packet.
    packet: f64,
    window: f64,
    flight: Flight,
    /// Whether a packet has waited for the window since the last acknowledgement: only a window that is used may grow (RFC 9002
    /// section 7.8).
    was_full: bool,
    least: LeastRtt,
    /// Time for which packets wait in the path, at the last acknowledgement.
    queue: Duration,
    rate: AcknowledgedRate,
    /// When the queue may next shrink it.
    shrinks_from: Option<Instant>,
    /// Losses before that time belong to the same flight as the last loss.
    recovered: Option<Instant>,
}

impl DelayWindow {
    /// `packet`: bytes of a full packet. `least_rtt`: the shortest round trip so far.
    pub fn new(now: Instant, packet: usize, least_rtt: Duration) -> Self {
        let packet = packet as f64;
        Self {
            packet,
            window: INITIAL_PACKETS * packet,
            flight: Flight::default(),
            was_full: false,
            least: LeastRtt(VecDeque::from([(now, least_rtt)])),
            queue: Duration::ZERO,
            rate: AcknowledgedRate::default(),
            shrinks_from: None,
            recovered: None,
        }
    }

    /// Begins with the initial window again.
    pub fn restart(&mut self) {
        self.window = INITIAL_PACKETS * self.packet;
    }

    pub fn bytes(&self) -> usize {
        self.window as usize
    }

    /// Whether it holds no more packets than the least window does.
    pub fn is_least(&self) -> bool {
        self.window < (LEAST_PACKETS + 1.0) * self.packet
    }

    /// The shortest round trip of the path.
    pub fn least_rtt(&self) -> Duration {
        self.least.get()
    }

    /// Bytes that leave in each of the shortest round trips, in time.
    pub fn paced_bytes(&self) -> usize {
        (PACE * self.window) as usize
    }

    /// Whether another packet may leave now.
    pub fn has_room(&mut self) -> bool {
        let has_room = self.flight.bytes() as f64 + self.packet <= self.window;
        self.was_full |= !has_room;
        has_room
    }

    /// Counts a packet that leaves at `now`.
    pub fn sent(&mut self, now: Instant, bytes: usize) {
        self.flight.sent(now, bytes);
    }

    /// Takes in an acknowledgement. Returns the time for which packets wait in the path.
    pub fn acknowledged(&mut self, now: Instant, given: &Acknowledgement) -> Duration {
        let Acknowledgement { rtt, smoothed_rtt, bytes, lost } = *given;
        self.flight.gone(bytes + lost);
        self.rate.add(now, bytes);
        if let Some(rtt) = rtt {
            self.flight.correct(now.checked_sub(rtt).unwrap_or(now));
            self.least.update(now, rtt);
            self.queue = rtt.saturating_sub(self.least.get());
        }
        if self.queue > MOST_QUEUE {
            self.drain(now, smoothed_rtt);
        } else if std::mem::take(&mut self.was_full) {
            self.grow(bytes as f64);
        }
        if lost > 0 && self.queue > LEAST_LOSSY_QUEUE && self.recovered.is_none_or(|recovered| now >= recovered) {
            self.window *= BETA;
            self.recovered = Some(now + smoothed_rtt);
        }
        self.window = self.window.clamp(LEAST_PACKETS * self.packet, MOST_PACKETS * self.packet);
        self.queue
    }

    /// Leaves a little less in flight than makes a queue of [`MOST_QUEUE`], once it has shown.
    fn drain(&mut self, now: Instant, smoothed_rtt: Duration) {
        if self.shrinks_from.is_some_and(|from| now < from) {
            return;
        }
        let wanted = self.rate.get(now, smoothed_rtt) * (self.least.get() + MOST_QUEUE).as_secs_f64();
        self.window = self.window.min(DRAINED * wanted);
        self.shrinks_from = Some(now + self.least.get() / 2);
    }

    fn grow(&mut self, bytes: f64) {
        self.window += if self.queue < SHORT_QUEUE { bytes } else { bytes * self.packet / self.window };
    }
}

/// The shortest round trip within [`LEAST_MEMORY`]: the shortest of each [`LEAST_STEP`] and when that began.
#[derive(Debug)]
struct LeastRtt(VecDeque<(Instant, Duration)>);

impl LeastRtt {
    fn update(&mut self, now: Instant, rtt: Duration) {
        match self.0.back_mut() {
            Some((began, least)) if now < *began + LEAST_STEP => *least = rtt.min(*least),
            _ => self.0.push_back((now, rtt)),
        }
        while self.0.len() > 1 && self.0[0].0 + LEAST_MEMORY < now {
            self.0.pop_front();
        }
    }

    fn get(&self) -> Duration {
        self.0.iter().map(|(_, rtt)| *rtt).min().unwrap_or_default()
    }
}

/// When how many bytes were acknowledged.
#[derive(Debug, Default)]
struct AcknowledgedRate(VecDeque<(Instant, usize)>);

impl AcknowledgedRate {
    fn add(&mut self, now: Instant, bytes: usize) {
        self.0.push_back((now, bytes));
        while self.0.front().is_some_and(|(time, _)| *time + RATE_MEMORY < now) {
            self.0.pop_front();
        }
    }

    /// Bytes per second in the last `span`.
    fn get(&self, now: Instant, span: Duration) -> f64 {
        let span = span.clamp(RATE_SPAN, RATE_MEMORY);
        let bytes: usize = self.0.iter().rev().take_while(|(time, _)| *time + span > now).map(|(_, bytes)| bytes).sum();
        bytes as f64 / span.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PACKET: usize = 1350;
    const MS: Duration = Duration::from_millis(1);
    const RTT: Duration = Duration::from_millis(60);

    /// A window of ten packets, and when 100 halves of packets have just been acknowledged.
    fn busy() -> (DelayWindow, Instant) {
        let start = Instant::now();
        let mut window = DelayWindow::new(start, PACKET, RTT);
        for _ in 0..100 {
            window.rate.add(start + 50 * MS, PACKET / 2);
        }
        (window, start + 100 * MS)
    }

    fn acknowledge(window: &mut DelayWindow, now: Instant, queue: Duration, lost: usize) {
        let rtt = RTT + queue;
        window.acknowledged(now, &Acknowledgement { rtt: Some(rtt), smoothed_rtt: rtt, bytes: PACKET, lost });
    }

    #[test]
    fn a_window_that_is_not_used_stays() {
        let (mut window, now) = busy();
        acknowledge(&mut window, now, MS, 0);
        assert_eq!(window.bytes(), 10 * PACKET);
    }

    #[test]
    fn it_grows_by_what_is_acknowledged_with_a_short_queue_and_by_a_packet_in_a_window_with_a_longer_one() {
        for (queue, growth) in [(30 * MS, PACKET), (50 * MS, PACKET / 10), (MOST_QUEUE, PACKET / 10)] {
            let (mut window, now) = busy();
            for _ in 0..10 {
                assert!(window.has_room());
                window.sent(now, PACKET);
            }
            assert!(!window.has_room());
            acknowledge(&mut window, now + RTT + queue, queue, 0);
            assert_eq!(window.bytes(), 10 * PACKET + growth);
        }
    }

    #[test]
    fn a_longer_queue_leaves_what_the_path_has_carried_once_in_half_a_round_trip() {
        let (mut window, now) = busy();
        // A packet in 50 ms, and this one.
        window.rate = AcknowledgedRate::default();
        acknowledge(&mut window, now, 100 * MS, 0);
        let carried = 0.9 * PACKET as f64 / 0.16 * 0.135;
        assert_eq!(window.bytes(), carried.max(2.0 * PACKET as f64) as usize);
        window.window = 10.0 * PACKET as f64;
        acknowledge(&mut window, now + 29 * MS, 100 * MS, 0);
        assert_eq!(window.bytes(), 10 * PACKET);
        acknowledge(&mut window, now + 30 * MS, 100 * MS, 0);
        assert!(window.bytes() < 10 * PACKET);
    }

    #[test]
    fn a_loss_shrinks_it_once_a_round_trip_and_only_where_packets_wait() {
        let (mut window, now) = busy();
        acknowledge(&mut window, now, 20 * MS, PACKET);
        assert_eq!(window.bytes(), 10 * PACKET);
        for time in [0, 40, 80] {
            acknowledge(&mut window, now + time * MS, 21 * MS, PACKET);
        }
        assert_eq!(window.bytes(), 7 * PACKET);
        acknowledge(&mut window, now + 81 * MS, 21 * MS, PACKET);
        assert_eq!(window.bytes(), (4.9 * PACKET as f64) as usize);
    }

    #[test]
    fn the_shortest_round_trip_is_that_of_the_last_half_minute() {
        let now = Instant::now();
        let mut least = LeastRtt(VecDeque::from([(now, RTT)]));
        least.update(now + Duration::from_secs(30), 2 * RTT);
        assert_eq!(least.get(), RTT);
        least.update(now + Duration::from_secs(31), 3 * RTT);
        assert_eq!(least.get(), 2 * RTT);
    }

    proptest! {
        #[test]
        fn it_has_two_to_256_packets_whatever_is_acknowledged(
            given in proptest::collection::vec((0u32..300, 0u32..3000, 0usize..20, 0usize..3), 1..200),
        ) {
            let mut now = Instant::now();
            let mut window = DelayWindow::new(now, PACKET, RTT);
            for (gap, queue, packets, lost) in given {
                now += MS * gap;
                while window.has_room() {
                    window.sent(now, PACKET);
                }
                let rtt = RTT + MS * queue;
                window.acknowledged(now, &Acknowledgement { rtt: Some(rtt), smoothed_rtt: rtt, bytes: packets * PACKET, lost: lost * PACKET });
                prop_assert!((2 * PACKET..=256 * PACKET).contains(&window.bytes()), "{}", window.bytes());
                prop_assert_eq!(window.is_least(), window.bytes() < 3 * PACKET);
            }
        }
    }
}
