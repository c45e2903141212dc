//! What queue management is made for: senders that halve their window at a loss and grow it otherwise (RFC 5681).

use super::Queue;
use crate::{
    packet::FULL_PACKET_BYTES,
    testing::{number_of, packet},
};
use std::{collections::BTreeMap, time::Duration};

/// Greedy senders that share one bottleneck.
pub struct Load {
    pub flows: u32,
    /// The bottleneck's rate.
    pub mbps: f64,
    /// Round-trip time without the queue.
    pub rtt: Duration,
    pub seconds: u64,
}

/// Measured over the second half of the run.
pub struct Outcome {
    pub mean_sojourn: Duration,
    pub median_sojourn: Duration,
    /// Share of the bottleneck's capacity that was used.
    pub utilisation: f64,
    /// Jain's index over the flows' shares: 1 is even.
    pub fairness: f64,
}

struct Sender {
    window: f64,
    in_flight: u32,
    next: u32,
    /// Packets in flight by number.
    expected: u32,
    /// A loss of a packet sent before this one belongs to the loss that was already answered.
    recovered_from: u32,
}

impl Sender {
    fn acknowledge(&mut self, number: u32) {
        let lost = number - self.expected;
        self.expected = number + 1;
        self.in_flight -= 1 + lost;
        if lost == 0 {
            self.window += 1.0 / self.window;
        } else if number >= self.recovered_from {
            self.window = (self.window / 2.0).max(2.0);
            self.recovered_from = self.next;
        }
    }
}

impl Load {
    pub fn run(&self, queue: &mut dyn Queue) -> Outcome {
        let end = Duration::from_secs(self.seconds);
        let sending = Duration::from_secs_f64(8.0 * FULL_PACKET_BYTES as f64 / (self.mbps * 1e6));
        let new_sender = |_| Sender { window: 2.0, in_flight: 0, next: 0, expected: 0, recovered_from: 0 };
        let mut senders: Vec<Sender> = (0..self.flows).map(new_sender).collect();
        let mut acknowledgements: BTreeMap<Duration, (u32, u32)> = BTreeMap::new();
        let (mut sojourns, mut shares) = (Vec::new(), vec![0.0; self.flows as usize]);
        let mut now = Duration::ZERO;
        while now < end {
            while let Some(entry) = acknowledgements.first_entry().filter(|entry| *entry.key() <= now) {
                let (flow, number) = entry.remove();
                senders[flow as usize].acknowledge(number);
            }
            for (flow, sender) in (0..).zip(&mut senders) {
                while f64::from(sender.in_flight) < sender.window.floor() {
                    let mut packet = packet(sender.next, now);
                    packet.flow = flow;
                    queue.enqueue(packet);
                    sender.next += 1;
                    sender.in_flight += 1;
                }
            }
            if let Some(packet) = queue.dequeue(now) {
                acknowledgements.insert(now + sending + self.rtt, (packet.flow, number_of(&packet)));
                if now > end / 2 {
                    sojourns.push(now.saturating_sub(packet.arrived));
                    shares[packet.flow as usize] += 1.0;
                }
            }
            now += sending;
        }
        self.outcome(sojourns, &shares, sending)
    }

    fn outcome(&self, mut sojourns: Vec<Duration>, shares: &[f64], sending: Duration) -> Outcome {
        sojourns.sort_unstable();
        let (sum, squares): (f64, f64) = (shares.iter().sum(), shares.iter().map(|share| share * share).sum());
        Outcome {
            mean_sojourn: sojourns.iter().sum::<Duration>() / sojourns.len() as u32,
            median_sojourn: sojourns[sojourns.len() / 2],
            utilisation: sojourns.len() as f64 * sending.as_secs_f64() / (self.seconds as f64 / 2.0),
            fairness: sum * sum / (shares.len() as f64 * squares),
        }
    }
}
