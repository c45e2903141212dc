//! Events that the main thread waits for.

use crate::sys::signal::{self, Signal};
use linkemu::error::{Context, Error, Result};
use std::{
    sync::mpsc::{self, Receiver, Sender},
    thread,
};

#[derive(Debug)]
pub enum Event {
    Signal(Signal),
    /// A thread has failed.
    Failed(Error),
}

/// Turns signals into events. Must be called before any thread is started, because threads inherit what is blocked.
pub fn channel() -> Result<(Sender<Event>, Receiver<Event>)> {
    signal::block().context("cannot block signals")?;
    let (sender, events) = mpsc::channel();
    let signals = sender.clone();
    thread::spawn(move || {
        loop {
            let event = match signal::wait().context("cannot wait for signals") {
                Ok(signal) => Event::Signal(signal),
                Err(error) => Event::Failed(error),
            };
            if signals.send(event).is_err() {
                return;
            }
        }
    });
    Ok((sender, events))
}

/// Starts a thread that reports its failure as an event.
pub fn spawn(events: &Sender<Event>, work: impl FnOnce() -> Result<()> + Send + 'static) {
    let events = events.clone();
    thread::spawn(move || {
        if let Err(error) = work() {
            // Fails only when the program is ending.
            let _ = events.send(Event::Failed(error));
        }
    });
}
