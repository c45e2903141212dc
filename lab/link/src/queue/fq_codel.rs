use super::{Backlog, CodelParameters, Drops, Limit, Queue, codel::CodelControl, fifo::Fifo};
use crate::packet::Packet;
use std::{collections::VecDeque, time::Duration};

/// RFC 8290 §5.2.
const FLOWS: u32 = 1024;

/// Bytes that a flow may send in its turn: one Ethernet frame (RFC 8290 §5.2.3).
const QUANTUM: isize = 1514;

/// Fair queueing with controlled delay (RFC 8290): every flow its own CoDel queue, served in turn, new flows first.
#[derive(Debug)]
pub struct FqCodel {
    flows: Vec<Flow>,
    /// Flows that have just become busy, and those that have been for a while, in the order of their turns.
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    backlog: Backlog,
    limit: Limit,
    drops: Drops,
}

#[derive(Debug)]
struct Flow {
    fifo: Fifo,
    control: CodelControl,
    /// Bytes left of this turn.
    credit: isize,
    /// In `new` or `old`.
    listed: bool,
}

impl FqCodel {
    pub fn new(limit: Limit, parameters: CodelParameters) -> Self {
        let flow = || Flow { fifo: Fifo::default(), control: CodelControl::new(parameters), credit: 0, listed: false };
        Self {
            flows: (0..FLOWS).map(|_| flow()).collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            backlog: Backlog::default(),
            limit,
            drops: Drops::default(),
        }
    }

    /// RFC 8290 §4.1.3: the flow with the most bytes pays for a full queue, at its head.
    fn drop_from_fattest_flow(&mut self) {
        let fattest = self.flows.iter_mut().max_by_key(|flow| flow.fifo.backlog().bytes);
        if let Some(packet) = fattest.and_then(|flow| flow.fifo.pop()) {
            self.drops.full += 1;
            self.backlog.packets -= 1;
            self.backlog.bytes -= packet.wire_bytes;
        }
    }

    /// The next packet of one flow, and the account of what its CoDel drops.
    fn take_from(&mut self, index: usize, now: Duration) -> Option<Packet> {
        let flow = &mut self.flows[index];
        let before = flow.fifo.backlog();
        let packet = flow.control.dequeue(&mut flow.fifo, now, &mut self.drops);
        let after = flow.fifo.backlog();
        self.backlog.packets -= before.packets - after.packets;
        self.backlog.bytes -= before.bytes - after.bytes;
        packet
    }
}

impl Queue for FqCodel {
    fn enqueue(&mut self, packet: Packet) {
        let index = (packet.flow % FLOWS) as usize;
        let flow = &mut self.flows[index];
        if !flow.listed {
            flow.listed = true;
            flow.credit = QUANTUM;
            self.new.push_back(index);
        }
        self.backlog.packets += 1;
        self.backlog.bytes += packet.wire_bytes;
        flow.fifo.push(packet);
        while !self.limit.allows(self.backlog) {
            self.drop_from_fattest_flow();
        }
    }

    /// RFC 8290 §4.2.
    fn dequeue(&mut self, now: Duration) -> Option<Packet> {
        loop {
            let is_new = !self.new.is_empty();
            let turns = if is_new { &mut self.new } else { &mut self.old };
            let index = *turns.front()?;
            if self.flows[index].credit <= 0 {
                self.flows[index].credit += QUANTUM;
                turns.pop_front();
                self.old.push_back(index);
                continue;
            }
            if let Some(packet) = self.take_from(index, now) {
                self.flows[index].credit -= packet.wire_bytes as isize;
                return Some(packet);
            }
            if is_new {
                // A flow that empties waits one round among the old, or it would always be new.
                self.new.pop_front();
                self.old.push_back(index);
            } else {
                self.old.pop_front();
                self.flows[index].listed = false;
            }
        }
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn drops(&self) -> Drops {
        self.drops
    }
}

#[cfg(test)]
mod tests {
    use super::{super::responsive_load::Load, *};
    use crate::testing::{ms, packet};

    fn fq_codel(limit: usize) -> FqCodel {
        FqCodel::new(Limit::Packets(limit), CodelParameters::default())
    }

    fn of_flow(flow: u32, wire_bytes: usize, time: u64) -> Packet {
        Packet { wire_bytes, flow, ..packet(0, ms(time)) }
    }

    fn flows(queue: &mut FqCodel, count: usize, now: u64) -> Vec<u32> {
        (0..count).filter_map(|_| queue.dequeue(ms(now))).map(|packet| packet.flow).collect()
    }

    #[test]
    fn flows_take_turns_whatever_their_backlog() {
        let mut queue = fq_codel(1000);
        (0..100).for_each(|_| queue.enqueue(of_flow(1, 1514, 0)));
        (0..3).for_each(|_| queue.enqueue(of_flow(2, 1514, 0)));
        assert_eq!(flows(&mut queue, 8, 1), [1, 2, 1, 2, 1, 2, 1, 1]);
    }

    #[test]
    fn flows_whose_numbers_collide_share_a_turn() {
        // RFC 8290 §5.3: a hash collision puts two flows into one queue, and its turn is all that they have.
        let mut queue = fq_codel(1000);
        for flow in [1, 1 + FLOWS, 2].repeat(50) {
            queue.enqueue(of_flow(flow, 1514, 0));
        }
        assert_eq!(flows(&mut queue, 8, 1), [1, 2, 1 + FLOWS, 2, 1, 2, 1 + FLOWS, 2]);
    }

    #[test]
    fn turns_are_fair_in_bytes() {
        let mut queue = fq_codel(1000);
        (0..20).for_each(|_| queue.enqueue(of_flow(1, 1514, 0)));
        (0..200).for_each(|_| queue.enqueue(of_flow(2, 151, 0)));
        let sent = flows(&mut queue, 110, 1);
        let large = sent.iter().filter(|&&flow| flow == 1).count();
        assert!((9..=11).contains(&large), "{large} large packets against ten times as many small ones");
    }

    #[test]
    fn a_sparse_flow_goes_before_a_backlog() {
        // RFC 8290 §4.2: a packet of a flow that was idle leaves next, whatever waits elsewhere.
        let mut queue = fq_codel(1000);
        (0..100).for_each(|_| queue.enqueue(of_flow(1, 1514, 0)));
        flows(&mut queue, 5, 1);
        queue.enqueue(of_flow(2, 100, 1));
        assert_eq!(flows(&mut queue, 2, 1), [2, 1]);
    }

    #[test]
    fn a_flow_that_empties_cannot_stay_new() {
        // It becomes an old flow for a round (RFC 8290 §4.2), or refilling at once would starve the others.
        let mut queue = fq_codel(1000);
        (0..100).for_each(|_| queue.enqueue(of_flow(1, 1514, 0)));
        let mut sparse = 0;
        for _ in 0..50 {
            queue.enqueue(of_flow(2, 1514, 1));
            sparse += flows(&mut queue, 1, 1).iter().filter(|&&flow| flow == 2).count();
        }
        assert!((24..=27).contains(&sparse), "{sparse} of 50");
    }

    #[test]
    fn the_fattest_flow_pays_for_a_full_queue() {
        let mut queue = fq_codel(10);
        (0..5).for_each(|_| queue.enqueue(of_flow(2, 1514, 0)));
        (0..20).for_each(|_| queue.enqueue(of_flow(1, 1514, 0)));
        assert_eq!(queue.drops(), Drops { full: 15, managed: 0 });
        assert_eq!(flows(&mut queue, 10, 0).iter().filter(|&&flow| flow == 2).count(), 5);
        assert_eq!(queue.backlog(), Backlog::default());
    }

    #[test]
    fn delay_is_controlled_flow_by_flow() {
        let mut queue = fq_codel(10_000);
        let (mut aggressive, mut calm) = (0, 0);
        for time in 0..4000 {
            (0..2).for_each(|_| queue.enqueue(of_flow(1, 1500, time)));
            if time % 4 == 0 {
                queue.enqueue(of_flow(2, 1500, time));
            }
            match queue.dequeue(ms(time)).map(|packet| packet.flow) {
                Some(1) => aggressive += 1,
                Some(_) => calm += 1,
                None => {}
            }
        }
        assert!(calm >= 999, "{calm} of 1000: the calm flow loses nothing");
        assert!(queue.drops().managed > 0 && aggressive < 3002, "{aggressive}, {:?}", queue.drops());
    }

    #[test]
    fn loads_that_respond_are_held_to_the_target() {
        let load = Load { flows: 4, mbps: 10.0, rtt: ms(30), seconds: 60 };
        let outcome = load.run(&mut fq_codel(10_240));
        assert!(outcome.median_sojourn < ms(20), "median {:?}", outcome.median_sojourn);
        assert!(outcome.utilisation > 0.9, "utilisation {}", outcome.utilisation);
        assert!(outcome.fairness > 0.95, "Jain's index {}", outcome.fairness);
    }
}
