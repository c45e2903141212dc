use super::{Backlog, Drops, Limit, Queue, fifo::Fifo};
use crate::packet::Packet;
use std::time::Duration;

/// First in, first out; what finds the queue full is dropped.
#[derive(Debug)]
pub struct DropTail {
    fifo: Fifo,
    limit: Limit,
    drops: Drops,
}

impl DropTail {
    pub fn new(limit: Limit) -> Self {
        Self { fifo: Fifo::default(), limit, drops: Drops::default() }
    }
}

impl Queue for DropTail {
    fn enqueue(&mut self, packet: Packet) {
        if self.fifo.has_room(&packet, self.limit) {
            self.fifo.push(packet);
        } else {
            self.drops.full += 1;
        }
    }

    fn dequeue(&mut self, _now: Duration) -> Option<Packet> {
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
    use super::*;
    use crate::testing::{ms, number_of, packet};

    fn numbers(queue: &mut DropTail) -> Vec<u32> {
        std::iter::from_fn(|| queue.dequeue(ms(0))).map(|packet| number_of(&packet)).collect()
    }

    #[test]
    fn what_comes_to_a_full_queue_is_dropped() {
        let mut queue = DropTail::new(Limit::Packets(3));
        (0..5).for_each(|number| queue.enqueue(packet(number, ms(0))));
        assert_eq!(queue.drops(), Drops { full: 2, managed: 0 });
        assert_eq!(numbers(&mut queue), [0, 1, 2]);
    }

    #[test]
    fn a_limit_in_bytes_lets_small_packets_in_where_large_ones_are_dropped() {
        let mut queue = DropTail::new(Limit::Bytes(4000));
        (0..3).for_each(|number| queue.enqueue(packet(number, ms(0))));
        queue.enqueue(Packet { wire_bytes: 1000, ..packet(3, ms(0)) });
        assert_eq!(queue.backlog(), Backlog { packets: 3, bytes: 4000 });
        assert_eq!(numbers(&mut queue), [0, 1, 3]);
    }
}
