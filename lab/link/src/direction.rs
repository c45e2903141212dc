use crate::{
    loss::Loss,
    packet::Packet,
    queue::{Backlog, Drops, Queue},
    schedule::Schedule,
    transmitter::Transmitter,
};
use std::{collections::VecDeque, mem, time::Duration};

/// The time of each line in the log: a second, as in the traces.
pub const TICK: Duration = Duration::from_secs(1);

/// The stages of a direction, in the order in which packets pass them.
pub struct Stages {
    pub loss: Loss,
    pub queue: Box<dyn Queue>,
    pub transmitter: Transmitter,
    /// How long a packet travels after it is sent. It overtakes none: where the delay falls, it waits for the one before.
    pub delay: Schedule<Duration>,
}

/// One direction of a link. Events happen in virtual time, however late the caller is: a late call delays packets but
/// never costs capacity.
pub struct Direction {
    stages: Stages,
    sending: Option<Departure>,
    travelling: VecDeque<Departure>,
    tick: Tick,
    finished: Vec<Tick>,
    /// The queue's drops when the current tick began.
    drops_before: Drops,
}

/// A packet and the time at which it leaves its stage.
#[derive(Debug, PartialEq, Eq)]
pub struct Departure {
    pub due: Duration,
    pub packet: Packet,
}

/// What happened within one [`TICK`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tick {
    pub start: Duration,
    pub arrived: Backlog,
    /// Sent by the transmitter; it arrives at the far end after the delay.
    pub delivered: Backlog,
    /// Bytes that the trace would have allowed.
    pub capacity_bytes: f64,
    pub lost: u64,
    pub drops: Drops,
    /// Waiting at the end.
    pub queue: Backlog,
    pub queue_packets_max: usize,
    /// From a delivered packet's arrival until it is sent: summed up, and the longest.
    pub sojourn_sum: Duration,
    pub sojourn_max: Duration,
}

impl Direction {
    pub fn new(stages: Stages) -> Self {
        Self {
            stages,
            sending: None,
            travelling: VecDeque::new(),
            tick: Tick::default(),
            finished: Vec::new(),
            drops_before: Drops::default(),
        }
    }

    /// Adds a packet; packets must be added in the order of their arrival.
    pub fn arrive(&mut self, packet: Packet) {
        let now = packet.arrived;
        self.advance(now);
        count(&mut self.tick.arrived, &packet);
        if self.stages.loss.takes_next(now) {
            self.tick.lost += 1;
            return;
        }
        self.stages.queue.enqueue(packet);
        self.tick.queue_packets_max = self.tick.queue_packets_max.max(self.stages.queue.backlog().packets);
        if self.sending.is_none() {
            self.send_next(now);
        }
    }

    /// Processes everything that is due by `now`.
    pub fn advance(&mut self, now: Duration) {
        loop {
            let tick_end = self.tick.start + TICK;
            if let Some(sent) = self.sending.take_if(|sending| sending.due <= now.min(tick_end)) {
                self.finish_sending(sent);
            } else if tick_end <= now {
                self.finish_tick(tick_end);
            } else {
                return;
            }
        }
    }

    /// The next packet that has reached the far end by `now`.
    pub fn take_due(&mut self, now: Duration) -> Option<Departure> {
        if self.travelling.front()?.due > now {
            return None;
        }
        self.travelling.pop_front()
    }

    /// When the direction must be advanced next if no packet arrives: when a packet reaches the far end, or a tick
    /// ends. Events in between can wait, as they happen in virtual time.
    pub fn next_event(&self) -> Duration {
        let tick_end = self.tick.start + TICK;
        let travelling = self.travelling.front().map(|departure| departure.due);
        let sending = self.sending.as_ref().map(|departure| self.far_end(departure.due));
        travelling.or(sending).map_or(tick_end, |due| due.min(tick_end))
    }

    /// The ticks that have ended since the last call.
    pub fn take_ticks(&mut self) -> Vec<Tick> {
        mem::take(&mut self.finished)
    }

    /// Ends the log: the rest of the current tick becomes a last, shorter one.
    pub fn finish(&mut self, now: Duration) {
        self.advance(now);
        self.finish_tick(now);
    }

    fn send_next(&mut self, now: Duration) {
        let begin = self.stages.transmitter.free_at().max(now);
        self.sending = self.stages.queue.dequeue(begin).map(|packet| {
            let due = self.stages.transmitter.send(begin, packet.wire_bytes);
            Departure { due, packet }
        });
    }

    fn finish_sending(&mut self, Departure { due, packet }: Departure) {
        let sojourn = due.saturating_sub(packet.arrived);
        count(&mut self.tick.delivered, &packet);
        self.tick.sojourn_sum += sojourn;
        self.tick.sojourn_max = self.tick.sojourn_max.max(sojourn);
        self.travelling.push_back(Departure { due: self.far_end(due), packet });
        self.send_next(due);
    }

    /// When a packet that is sent at `sent`, after all that travel, reaches the far end.
    fn far_end(&self, sent: Duration) -> Duration {
        let due = sent + *self.stages.delay.at(sent);
        self.travelling.back().map_or(due, |before| due.max(before.due))
    }

    fn finish_tick(&mut self, end: Duration) {
        let drops = self.stages.queue.drops();
        let backlog = self.stages.queue.backlog();
        let next = Tick { start: end, queue_packets_max: backlog.packets, ..Tick::default() };
        let tick = mem::replace(&mut self.tick, next);
        self.finished.push(Tick {
            capacity_bytes: self.stages.transmitter.capacity(tick.start, end),
            drops: Drops {
                full: drops.full - self.drops_before.full,
                managed: drops.managed - self.drops_before.managed,
            },
            queue: backlog,
            ..tick
        });
        self.drops_before = drops;
    }
}

fn count(total: &mut Backlog, packet: &Packet) {
    total.packets += 1;
    total.bytes += packet.wire_bytes;
}

#[cfg(test)]
mod tests;
