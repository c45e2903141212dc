//! Directions at work: each has a thread that moves its packets by a real clock.

use crate::{
    log::{LogBook, Row, Summary},
    sys::schedule,
};
use linkemu::{
    direction::Direction,
    error::{Context, Result},
    packet::Packet,
};
use std::{
    io,
    path::Path,
    sync::{
        Arc, OnceLock,
        mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Packets read but not yet taken in; a reader that is further ahead waits.
const READ_AHEAD_PACKETS: usize = 4096;

/// Hands a packet to the far end.
pub type Deliver = Box<dyn FnMut(&Packet) -> io::Result<()> + Send>;

/// A direction and where its packets go.
pub struct Route {
    /// For the log: the path's name and `down` or `up`.
    pub name: String,
    pub direction: Direction,
    pub deliver: Deliver,
}

/// The directions of a link at work.
pub struct Emulation {
    pumps: Vec<(SyncSender<Arrival>, JoinHandle<()>)>,
    log: JoinHandle<Result<Summary>>,
}

/// Where the packets of one direction come in.
#[derive(Clone)]
pub struct Inlet {
    arrivals: SyncSender<Arrival>,
    clock: LinkClock,
}

enum Arrival {
    Packet(Packet),
    Stop,
}

impl Emulation {
    /// Starts a thread for every route; returns an inlet for each.
    pub fn start(routes: Vec<Route>, log_folder: Option<&Path>) -> Result<(Self, Vec<Inlet>)> {
        schedule::stay_in_memory();
        let names = routes.iter().map(|route| route.name.as_str());
        let (rows, log) = LogBook::open(names, log_folder)?.start();
        let clock = LinkClock::default();
        let mut pumps = Vec::new();
        let mut inlets = Vec::new();
        for (index, route) in routes.into_iter().enumerate() {
            let (arrivals, receiver) = mpsc::sync_channel(READ_AHEAD_PACKETS);
            let pump = Pump { index, route, clock: clock.clone(), rows: rows.clone(), row: Row::new(index) };
            let thread = thread::Builder::new().name("link".into()).spawn(move || pump.run(&receiver));
            pumps.push((arrivals.clone(), thread.context("cannot start a thread")?));
            inlets.push(Inlet { arrivals, clock: clock.clone() });
        }
        Ok((Self { pumps, log }, inlets))
    }

    /// Ends the threads and the log.
    pub fn stop(self) -> Result<Summary> {
        for (arrivals, pump) in self.pumps {
            // A pump that is gone has panicked, and says so below.
            let _ = arrivals.send(Arrival::Stop);
            pump.join().expect("a link thread does not panic");
        }
        self.log.join().expect("the log thread does not panic")
    }
}

impl Inlet {
    /// Takes in a packet that has just come; false when the link has stopped.
    pub fn push(&self, data: Vec<u8>, wire_bytes: usize, flow: u32) -> bool {
        let packet = Packet { data, wire_bytes, flow, arrived: self.clock.arrival() };
        self.arrivals.send(Arrival::Packet(packet)).is_ok()
    }
}

/// A link's time: it begins with the first packet in either direction, so that sessions meet the same part of a trace
/// however long their programs take to start.
#[derive(Clone, Default)]
struct LinkClock(Arc<OnceLock<Instant>>);

impl LinkClock {
    fn arrival(&self) -> Duration {
        self.0.get_or_init(Instant::now).elapsed()
    }

    fn now(&self) -> Duration {
        self.0.get().map_or(Duration::ZERO, Instant::elapsed)
    }
}

struct Pump {
    index: usize,
    route: Route,
    clock: LinkClock,
    rows: Sender<Row>,
    /// What the real clock adds to the current tick.
    row: Row,
}

impl Pump {
    fn run(mut self, arrivals: &Receiver<Arrival>) {
        schedule::request_realtime();
        loop {
            self.move_packets();
            self.log();
            let wait = self.route.direction.next_event().saturating_sub(self.clock.now());
            match arrivals.recv_timeout(wait) {
                Ok(Arrival::Packet(packet)) => self.route.direction.arrive(packet),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Arrival::Stop) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.route.direction.finish(self.clock.now());
        self.log();
    }

    fn move_packets(&mut self) {
        let now = self.clock.now();
        self.route.direction.advance(now);
        while let Some(departure) = self.route.direction.take_due(now) {
            let late = self.clock.now().saturating_sub(departure.due);
            self.row.late_max = self.row.late_max.max(late);
            if (self.route.deliver)(&departure.packet).is_err() {
                self.row.undelivered += 1;
            }
        }
    }

    fn log(&mut self) {
        for tick in self.route.direction.take_ticks() {
            let row = std::mem::replace(&mut self.row, Row::new(self.index));
            // The log thread ends early only with an error of its own, which stop() reports.
            let _ = self.rows.send(Row { tick, ..row });
        }
    }
}
