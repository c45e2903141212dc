//! Which control a live session's packets obey: the window by delay ([`crate::delay_window`]), or the ordinary one where other flows fill
//! the queue.
//!
//! Beside a flow that fills a queue of more than 75 ms the window by delay would starve: the queue stays long however little of it is this
//! session's. Then the window stays the least. That says it: alone on a path, two packets make a queue of 75 ms where it carries less than
//! 0.2 Mbit/s, too little for any live stream. The way back is the queue itself, once it has been short for a while, or an attempt after
//! a while, which is made less and less often.

use std::time::{Duration, Instant};

use crate::delay_window::{Acknowledgement, DelayWindow, MOST_QUEUE, SHORT_QUEUE};

/// Time over which is counted how much of it the window was held at its least.
const HELD_MEMORY: Duration = Duration::from_secs(3);
/// The share of it from which on others fill the queue: after two seconds without a pause.
const MOST_HELD: f64 = 0.5;

/// For so long a queue must be short before the window by delay applies again.
const SHORT_FOR: Duration = Duration::from_secs(2);
/// When that is tried again though the queue is long.
const PATIENCE: Duration = Duration::from_secs(10);
const MOST_PATIENCE: Duration = Duration::from_secs(160);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// `attempted`: when it was tried though the queue was long.
    ByDelay { attempted: Option<Instant> },
    /// `short_since`: the queue has been short since then.
    Ordinary { since: Instant, short_since: Option<Instant> },
}

/// The control of one live session.
#[derive(Debug)]
pub struct LiveControl {
    window: DelayWindow,
    state: State,
    /// Share of the last [`HELD_MEMORY`] in which the window was the least and the queue too long nevertheless.
    held: f64,
    updated: Instant,
    patience: Duration,
}

impl LiveControl {
    /// `packet`: bytes of a full packet. `least_rtt`: the shortest round trip so far.
    pub fn new(now: Instant, packet: usize, least_rtt: Duration) -> Self {
        Self {
            window: DelayWindow::new(now, packet, least_rtt),
            state: State::ByDelay { attempted: None },
            held: 0.0,
            updated: now,
            patience: PATIENCE,
        }
    }

    /// The window that applies; `None`: the ordinary control does.
    pub fn window(&mut self) -> Option<&mut DelayWindow> {
        matches!(self.state, State::ByDelay { .. }).then_some(&mut self.window)
    }

    /// Counts a packet that leaves at `now`.
    pub fn sent(&mut self, now: Instant, bytes: usize) {
        self.window.sent(now, bytes);
    }

    /// Takes in an acknowledgement. Returns whether another control applies from now on.
    pub fn acknowledged(&mut self, now: Instant, given: &Acknowledgement) -> bool {
        let queue = self.window.acknowledged(now, given);
        // Silence says nothing.
        let since = now.saturating_duration_since(self.updated).min(given.smoothed_rtt);
        self.updated = now;
        let next = match self.state {
            State::ByDelay { attempted } => self.by_delay(now, since, queue, attempted),
            State::Ordinary { since, short_since } => self.ordinary(now, queue, since, short_since),
        };
        let changes = matches!(next, State::ByDelay { .. }) != matches!(self.state, State::ByDelay { .. });
        self.state = next;
        changes
    }

    fn by_delay(&mut self, now: Instant, since: Duration, queue: Duration, attempted: Option<Instant>) -> State {
        let is_held = queue > MOST_QUEUE && self.window.is_least();
        let target = if is_held { 1.0 } else { 0.0 };
        self.held = target + (self.held - target) * (-since.as_secs_f64() / HELD_MEMORY.as_secs_f64()).exp();
        if self.held < MOST_HELD {
            return State::ByDelay { attempted };
        }
        let was_in_vain = attempted.is_some_and(|attempted| now < attempted + self.patience);
        self.patience = if was_in_vain { (2 * self.patience).min(MOST_PATIENCE) } else { PATIENCE };
        State::Ordinary { since: now, short_since: None }
    }

    fn ordinary(&mut self, now: Instant, queue: Duration, since: Instant, short_since: Option<Instant>) -> State {
        let short_since = (queue <= SHORT_QUEUE).then(|| short_since.unwrap_or(now));
        let is_short = short_since.is_some_and(|short| now >= short + SHORT_FOR);
        if !is_short && now < since + self.patience {
            return State::Ordinary { since, short_since };
        }
        self.held = 0.0;
        self.window.restart();
        State::ByDelay { attempted: (!is_short).then_some(now) }
    }
}

#[cfg(test)]
mod tests;
