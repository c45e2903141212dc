use super::{Backlog, Drops, Limit, Queue, fifo::Fifo};
use crate::packet::{FULL_PACKET_BYTES, Packet};
use std::time::Duration;

/// RFC 8289 §4.2–4.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodelParameters {
    /// The standing delay that is acceptable.
    pub target: Duration,
    /// How long a delay must stand before the first drop; the order of a round trip.
    pub interval: Duration,
}

impl Default for CodelParameters {
    fn default() -> Self {
        Self { target: Duration::from_millis(5), interval: Duration::from_millis(100) }
    }
}

/// Intervals after a dropping state within which the next one continues at its drop rate (RFC 8289 §5.5 uses 16).
const INTERVALS_REMEMBERED: u32 = 16;

/// CoDel's decision when to drop (RFC 8289 §5), kept apart from the packets because FQ-CoDel has one for each flow.
#[derive(Debug)]
pub struct CodelControl {
    parameters: CodelParameters,
    /// When the delay will have stood above the target for an interval.
    first_above: Option<Duration>,
    dropping: bool,
    drop_next: Duration,
    /// Drops in this dropping state.
    count: u32,
    /// `count` when this dropping state began.
    count_at_start: u32,
}

/// A packet from the head of the queue.
struct Head {
    packet: Option<Packet>,
    ok_to_drop: bool,
}

impl CodelControl {
    pub fn new(parameters: CodelParameters) -> Self {
        Self { parameters, first_above: None, dropping: false, drop_next: Duration::ZERO, count: 0, count_at_start: 0 }
    }

    /// RFC 8289 §5.5: drops from the head what has waited too long and returns what is to be sent.
    pub fn dequeue(&mut self, fifo: &mut Fifo, now: Duration, drops: &mut Drops) -> Option<Packet> {
        let mut head = self.take_head(fifo, now);
        if self.dropping {
            self.dropping = head.ok_to_drop;
            while self.dropping && now >= self.drop_next {
                drops.managed += 1;
                self.count += 1;
                head = self.take_head(fifo, now);
                self.dropping = head.ok_to_drop;
                if self.dropping {
                    self.drop_next = self.after_control_law(self.drop_next);
                }
            }
        } else if head.ok_to_drop {
            drops.managed += 1;
            head = self.take_head(fifo, now);
            self.start_dropping(now);
        }
        head.packet
    }

    /// RFC 8289 §5.6.
    fn take_head(&mut self, fifo: &mut Fifo, now: Duration) -> Head {
        let packet = fifo.pop();
        let too_slow = packet.as_ref().is_some_and(|packet| {
            now.saturating_sub(packet.arrived) >= self.parameters.target && fifo.backlog().bytes > FULL_PACKET_BYTES
        });
        let ok_to_drop = match self.first_above {
            _ if !too_slow => {
                self.first_above = None;
                false
            }
            None => {
                self.first_above = Some(now + self.parameters.interval);
                false
            }
            Some(first_above) => now >= first_above,
        };
        Head { packet, ok_to_drop }
    }

    /// Continues at the drop rate of the last dropping state if that was recent.
    fn start_dropping(&mut self, now: Duration) {
        let drops_before = self.count - self.count_at_start;
        let lately = now.saturating_sub(self.drop_next) < INTERVALS_REMEMBERED * self.parameters.interval;
        self.count = if drops_before > 1 && lately { drops_before } else { 1 };
        self.count_at_start = self.count;
        self.drop_next = self.after_control_law(now);
        self.dropping = true;
    }

    /// RFC 8289 §5.3: drops come closer together with the square root of their number.
    fn after_control_law(&self, time: Duration) -> Duration {
        time + self.parameters.interval.div_f64(f64::from(self.count).sqrt())
    }
}

/// Controlled delay (RFC 8289): one queue, drops at its head.
#[derive(Debug)]
pub struct Codel {
    fifo: Fifo,
    limit: Limit,
    control: CodelControl,
    drops: Drops,
}

impl Codel {
    pub fn new(limit: Limit, parameters: CodelParameters) -> Self {
        Self { fifo: Fifo::default(), limit, control: CodelControl::new(parameters), drops: Drops::default() }
    }
}

impl Queue for Codel {
    fn enqueue(&mut self, packet: Packet) {
        if self.fifo.has_room(&packet, self.limit) {
            self.fifo.push(packet);
        } else {
            self.drops.full += 1;
        }
    }

    fn dequeue(&mut self, now: Duration) -> Option<Packet> {
        self.control.dequeue(&mut self.fifo, now, &mut self.drops)
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
    use super::{
        super::{DropTail, responsive_load::Load},
        *,
    };
    use crate::testing::{ms, packet};

    fn codel() -> Codel {
        Codel::new(Limit::Packets(10_000), CodelParameters::default())
    }

    /// Milliseconds at which packets are dropped while one is taken out every millisecond, from 1 ms on.
    fn drop_times(queue: &mut Codel, milliseconds: std::ops::Range<u64>) -> Vec<u64> {
        let mut times = Vec::new();
        for time in milliseconds {
            let before = queue.drops().managed;
            queue.dequeue(ms(time));
            times.extend((before..queue.drops().managed).map(|_| time));
        }
        times
    }

    #[test]
    fn a_burst_that_drains_within_an_interval_is_left_alone() {
        let mut queue = codel();
        (0..100).for_each(|number| queue.enqueue(packet(number, ms(0))));
        assert!(drop_times(&mut queue, 1..110).is_empty());
    }

    #[test]
    fn delay_below_the_target_is_left_alone() {
        let mut queue = codel();
        (0..4).for_each(|number| queue.enqueue(packet(number, ms(0))));
        for time in 1..2000 {
            queue.enqueue(packet(0, ms(time)));
            assert!(queue.dequeue(ms(time)).is_some());
        }
        assert_eq!(queue.drops(), Drops::default());
    }

    #[test]
    fn a_single_full_packet_waiting_is_never_dropped() {
        // RFC 8289 §5.6: a queue of no more than one full packet is not managed, however slow the link.
        let mut queue = codel();
        queue.enqueue(packet(0, ms(0)));
        for time in (1000..60_000).step_by(1000) {
            queue.enqueue(packet(0, ms(time - 1000)));
            assert!(queue.dequeue(ms(time)).is_some());
        }
        assert_eq!(queue.drops(), Drops::default());
    }

    #[test]
    fn drops_of_a_standing_queue_follow_the_control_law() {
        // 1000 packets, one taken out every millisecond: the delay passes 5 ms at 5 ms, so the first drop comes at 105
        // ms and the next ones 100/√1, 100/√2, 100/√3 … ms later (RFC 8289 §5.3).
        let mut queue = codel();
        (0..1000).for_each(|number| queue.enqueue(packet(number, ms(0))));
        let mut expected = vec![105.0];
        for count in 1..8 {
            expected.push(expected[count - 1] + 100.0 / (count as f64).sqrt());
        }
        let expected: Vec<u64> = expected.into_iter().map(|time: f64| time.ceil() as u64).collect();
        assert_eq!(drop_times(&mut queue, 1..600)[..8], expected);
    }

    #[test]
    fn an_emptied_queue_ends_the_dropping() {
        let mut queue = codel();
        (0..300).for_each(|number| queue.enqueue(packet(number, ms(0))));
        assert!(!drop_times(&mut queue, 1..400).is_empty());
        let drops = queue.drops();
        for time in 400..600 {
            queue.enqueue(packet(0, ms(time)));
            assert!(queue.dequeue(ms(time)).is_some());
        }
        assert_eq!(queue.drops(), drops);
    }

    #[test]
    fn soon_after_a_dropping_state_the_next_one_starts_at_its_rate() {
        let second_state = |pause: u64| {
            let mut queue = codel();
            (0..1000).for_each(|number| queue.enqueue(packet(number, ms(0))));
            drop_times(&mut queue, 1..1100);
            let start = 1100 + pause;
            (0..1000).for_each(|number| queue.enqueue(packet(number, ms(start))));
            let times = drop_times(&mut queue, start + 1..start + 400);
            times[1] - times[0]
        };
        assert!(second_state(100) < 50, "16 intervals have not passed");
        assert_eq!(second_state(3000), 100, "from anew");
    }

    #[test]
    fn loads_that_respond_are_held_to_the_target() {
        // RFC 8289 §1: a few times the target instead of the whole buffer, and the link stays busy.
        let load = Load { flows: 4, mbps: 10.0, rtt: ms(30), seconds: 60 };
        assert!(load.run(&mut DropTail::new(Limit::Packets(500))).median_sojourn > ms(300), "what CoDel is to prevent");
        let outcome = load.run(&mut codel());
        assert!(outcome.median_sojourn < ms(20), "median {:?}", outcome.median_sojourn);
        assert!(outcome.utilisation > 0.9, "utilisation {}", outcome.utilisation);
    }
}
