use super::{Backlog, Drops, Limit, Queue, fifo::Fifo};
use crate::{packet::Packet, random::Random};
use std::time::Duration;

/// RFC 8033 §4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieParameters {
    /// The delay to hold.
    pub target: Duration,
}

impl Default for PieParameters {
    fn default() -> Self {
        Self { target: Duration::from_millis(15) }
    }
}

/// How often the drop probability is computed anew.
const UPDATE_INTERVAL: Duration = Duration::from_millis(15);

/// How long a burst out of quiet is let through.
const MAX_BURST: Duration = Duration::from_millis(150);

/// Gains of the controller for the distance from the target and for its trend, per second.
const ALPHA: f64 = 0.125;
const BETA: f64 = 1.25;

/// Small probabilities change in small steps: below each bound the change is divided by the factor (RFC 8033 §4.2).
const DAMPING: [(f64, f64); 6] =
    [(0.000_001, 2048.0), (0.000_01, 512.0), (0.000_1, 128.0), (0.001, 32.0), (0.01, 8.0), (0.1, 2.0)];

/// Large probabilities grow by no more than this at a time (RFC 8033 §5.2).
const MAX_STEP: f64 = 0.02;

/// What is left of the probability after every update without congestion (RFC 8033 §4.2).
const DECAY: f64 = 0.98;

/// Fewer bytes than two such packets are never managed (RFC 8033 §4.1).
const MEAN_PACKET_BYTES: usize = 1024;

/// A sum of probabilities below the first bound never drops, above the second always (RFC 8033 §5.4).
const ACCUMULATED_BOUNDS: (f64, f64) = (0.85, 8.5);

/// Proportional integral controller enhanced (RFC 8033): drops at the tail with a probability that holds the delay at
/// the target. The delay is that of the packet at the head.
#[derive(Debug)]
pub struct Pie {
    fifo: Fifo,
    limit: Limit,
    target: f64,
    random: Random,
    drops: Drops,
    probability: f64,
    /// Probabilities summed up since the last drop; spreads the drops out.
    accumulated: f64,
    /// Seconds at the last update.
    last_delay: f64,
    burst_allowance: Duration,
    next_update: Duration,
}

impl Pie {
    pub fn new(limit: Limit, parameters: PieParameters, random: Random) -> Self {
        Self {
            fifo: Fifo::default(),
            limit,
            target: parameters.target.as_secs_f64(),
            random,
            drops: Drops::default(),
            probability: 0.0,
            accumulated: 0.0,
            last_delay: 0.0,
            burst_allowance: MAX_BURST,
            next_update: UPDATE_INTERVAL,
        }
    }

    /// Makes up for the updates that were due by `now`.
    fn update_until(&mut self, now: Duration) {
        while self.next_update <= now {
            let waiting_since = self.fifo.head().map_or(self.next_update, |packet| packet.arrived);
            self.update(self.next_update.saturating_sub(waiting_since).as_secs_f64());
            self.next_update += UPDATE_INTERVAL;
        }
    }

    /// RFC 8033 §4.2 and §4.4.
    fn update(&mut self, delay: f64) {
        let change = ALPHA * (delay - self.target) + BETA * (delay - self.last_delay);
        let damping = DAMPING.iter().find(|(bound, _)| self.probability < *bound).map_or(1.0, |(_, factor)| *factor);
        let step = change / damping;
        self.probability += if self.probability >= 0.1 { step.min(MAX_STEP) } else { step };
        if delay == 0.0 && self.last_delay == 0.0 {
            self.probability *= DECAY;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.burst_allowance = self.burst_allowance.saturating_sub(UPDATE_INTERVAL);
        if self.probability == 0.0 && delay.max(self.last_delay) < self.target / 2.0 {
            self.burst_allowance = MAX_BURST;
        }
        self.last_delay = delay;
    }

    /// RFC 8033 §4.1 and §5.4.
    fn drops_early(&mut self) -> bool {
        let calm = self.last_delay < self.target / 2.0 && self.probability < 0.2;
        if !self.burst_allowance.is_zero() || calm || self.fifo.backlog().bytes <= 2 * MEAN_PACKET_BYTES {
            return false;
        }
        if self.probability == 0.0 {
            self.accumulated = 0.0;
        }
        self.accumulated += self.probability;
        let (never, always) = ACCUMULATED_BOUNDS;
        self.accumulated >= always || (self.accumulated >= never && self.random.chance(self.probability))
    }
}

impl Queue for Pie {
    fn enqueue(&mut self, packet: Packet) {
        self.update_until(packet.arrived);
        if !self.fifo.has_room(&packet, self.limit) {
            self.drops.full += 1;
            self.accumulated = 0.0;
        } else if self.drops_early() {
            self.drops.managed += 1;
            self.accumulated = 0.0;
        } else {
            self.fifo.push(packet);
        }
    }

    fn dequeue(&mut self, now: Duration) -> Option<Packet> {
        self.update_until(now);
        self.fifo.pop()
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }

    fn drops(&self) -> Drops {
        self.drops
    }
}

#[cfg(test)]
mod tests {
    use super::{super::responsive_load::Load, *};
    use crate::testing::{ms, packet};

    fn pie() -> Pie {
        Pie::new(Limit::Packets(10_000), PieParameters::default(), Random::new(1, 1))
    }

    /// `per_ms` packets come and one leaves every millisecond.
    fn overload(queue: &mut Pie, per_ms: u32, milliseconds: std::ops::Range<u64>) {
        for time in milliseconds {
            (0..per_ms).for_each(|number| queue.enqueue(packet(number, ms(time))));
            queue.dequeue(ms(time));
        }
    }

    #[test]
    fn a_burst_out_of_quiet_is_let_through() {
        // RFC 8033 §4.4: 150 ms of burst allowance.
        let mut queue = pie();
        overload(&mut queue, 2, 1000..1149);
        assert_eq!(queue.drops(), Drops::default());
        overload(&mut queue, 2, 1149..3000);
        assert!(queue.drops().managed > 0);
    }

    #[test]
    fn the_first_updates_follow_the_formula() {
        // A delay of 30 ms over a target of 15: (0.125 × 0.015 + 1.25 × 0.030) / 2048; then, at the same delay, only
        // the distance counts and the next damping applies (RFC 8033 §4.2).
        let mut queue = pie();
        queue.update(0.030);
        let first = (0.125 * 0.015 + 1.25 * 0.030) / 2048.0;
        assert!((queue.probability - first).abs() < 1e-12, "{}", queue.probability);
        queue.update(0.030);
        let second = first + 0.125 * 0.015 / 128.0;
        assert!((queue.probability - second).abs() < 1e-12, "{}", queue.probability);
    }

    #[test]
    fn a_large_probability_grows_by_two_percent_at_most() {
        let mut queue = pie();
        (queue.probability, queue.last_delay) = (0.1, 0.0);
        queue.update(1.0);
        assert!((queue.probability - 0.12).abs() < 1e-12);
    }

    #[test]
    fn the_probability_decays_while_nothing_waits() {
        let mut queue = pie();
        queue.probability = 0.5;
        queue.update(0.0);
        let expected = (0.5 - 0.125 * 0.015) * 0.98;
        assert!((queue.probability - expected).abs() < 1e-12, "{}", queue.probability);
    }

    #[test]
    fn two_packets_are_never_managed() {
        let mut queue = pie();
        (queue.probability, queue.last_delay, queue.burst_allowance) = (1.0, 1.0, Duration::ZERO);
        queue.enqueue(packet(0, ms(1)));
        queue.enqueue(packet(0, ms(1)));
        assert_eq!(queue.drops(), Drops::default());
        queue.enqueue(packet(0, ms(1)));
        assert_eq!(queue.drops().managed, 1);
    }

    #[test]
    fn drops_are_spread_out() {
        // RFC 8033 §5.4: at 10 % never two drops within 8 packets, and one in 85 at the latest.
        let mut queue = pie();
        (queue.probability, queue.last_delay, queue.burst_allowance) = (0.1, 1.0, Duration::ZERO);
        (0..3).for_each(|_| queue.fifo.push(packet(0, ms(0))));
        let drops: Vec<usize> = (0..10_000)
            .filter(|_| {
                let dropped = queue.drops_early();
                if dropped {
                    queue.accumulated = 0.0;
                }
                dropped
            })
            .collect();
        assert!(drops.windows(2).all(|pair| (9..=85).contains(&(pair[1] - pair[0]))));
    }

    #[test]
    fn loads_that_respond_are_held_at_the_target() {
        // RFC 8033 §1: the average delay is held at the target of 15 ms.
        let load = Load { flows: 4, mbps: 10.0, rtt: ms(30), seconds: 60 };
        let outcome = load.run(&mut pie());
        assert!((ms(7)..ms(23)).contains(&outcome.mean_sojourn), "mean {:?}", outcome.mean_sojourn);
        assert!(outcome.utilisation > 0.9, "utilisation {}", outcome.utilisation);
    }

    #[test]
    fn the_same_seed_drops_the_same_packets() {
        let run = |seed| {
            let mut queue = Pie::new(Limit::Packets(10_000), PieParameters::default(), Random::new(seed, 1));
            overload(&mut queue, 2, 0..2000);
            (queue.drops(), queue.fifo.head().cloned())
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}
