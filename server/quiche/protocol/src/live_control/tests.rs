use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

const PACKET: usize = 1350;
const STEP: Duration = Duration::from_millis(1);

/// Packets that the ordinary control has in flight here.
const ORDINARY: usize = 20;

/// A session that has always something to send over a path with one queue, and what it meets.
struct Session {
    start: Instant,
    now: Instant,
    control: LiveControl,
    /// Bytes per second.
    rate: f64,
    rtt: Duration,
    /// How long the queue is that others keep full.
    others: Duration,
    /// When the queue will be empty.
    free: Instant,
    /// When packets left and when their acknowledgements come.
    flight: VecDeque<(Instant, Instant)>,
    smoothed: Duration,
    acknowledged: usize,
    /// Time for which the last packet waited.
    queue: Duration,
}

impl Session {
    fn new(mbps: f64, rtt: Duration) -> Self {
        let start = Instant::now();
        Self {
            start,
            now: start,
            control: LiveControl::new(start, PACKET, rtt),
            rate: mbps * 1e6 / 8.0,
            rtt,
            others: Duration::ZERO,
            free: start,
            flight: VecDeque::new(),
            smoothed: rtt,
            acknowledged: 0,
            queue: Duration::ZERO,
        }
    }

    fn is_by_delay(&mut self) -> bool {
        self.control.window().is_some()
    }

    /// Goes on until a time since the start, or until another control applies; returns when.
    fn run(&mut self, until: Duration) -> Option<Duration> {
        let mut changed = false;
        while !changed && self.now < self.start + until {
            self.now += STEP;
            changed = self.take_acknowledgements();
            self.send();
        }
        changed.then(|| self.now - self.start)
    }

    fn take_acknowledgements(&mut self) -> bool {
        let mut changed = false;
        while let Some((left, _)) = self.flight.front().copied().filter(|(_, back)| *back <= self.now) {
            self.flight.pop_front();
            let rtt = self.now - left;
            self.smoothed = (7 * self.smoothed + rtt) / 8;
            self.queue = rtt.saturating_sub(self.rtt);
            self.acknowledged += PACKET;
            let given = Acknowledgement { rtt: Some(rtt), smoothed_rtt: self.smoothed, bytes: PACKET, lost: 0 };
            changed |= self.control.acknowledged(self.now, &given);
        }
        changed
    }

    fn send(&mut self) {
        self.free = self.free.max(self.now + self.others);
        loop {
            let has_room = match self.control.window() {
                Some(window) => window.has_room(),
                None => self.flight.len() < ORDINARY,
            };
            if !has_room {
                return;
            }
            self.free += Duration::from_secs_f64(PACKET as f64 / self.rate);
            self.control.sent(self.now, PACKET);
            self.flight.push_back((self.now, self.free + self.rtt));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn alone_it_fills_the_path_with_a_short_queue(mbps in 0.3f64..20.0, rtt in 20u32..200) {
        let mut session = Session::new(mbps, STEP * rtt);
        prop_assert_eq!(session.run(Duration::from_secs(5)), None);
        let (before, mut longest) = (session.acknowledged, Duration::ZERO);
        for second in 50..150 {
            prop_assert_eq!(session.run(Duration::from_millis(100 * second)), None);
            longest = longest.max(session.queue);
        }
        let mean = (session.acknowledged - before) as f64 / 10.0;
        let most = session.rate.min(256.0 * PACKET as f64 / session.rtt.as_secs_f64());
        prop_assert!(mean > 0.9 * most, "{mean} of {most}");
        let packets = Duration::from_secs_f64(2.0 * PACKET as f64 / session.rate);
        prop_assert!(longest < MOST_QUEUE + packets + 20 * STEP, "{longest:?}");
    }

    #[test]
    fn beside_a_flow_that_fills_the_queue_it_gives_way_within_seconds(
        mbps in 1.0f64..20.0, rtt in 20u32..200, others in 150u32..1000,
    ) {
        let mut session = Session::new(mbps, STEP * rtt);
        session.run(Duration::from_secs(1));
        session.others = STEP * others;
        let gave_way = session.run(Duration::from_secs(15)).map(|time| time.as_secs_f64());
        prop_assert!(gave_way.is_some_and(|seconds| (3.0..10.0).contains(&seconds)), "{gave_way:?}");
        prop_assert!(!session.is_by_delay());
    }

    #[test]
    fn whatever_a_path_carries_from_half_a_megabit_on_it_stays(
        rates in proptest::collection::vec((0.5f64..10.0, 100u32..3000), 5..15), rtt in 20u32..200,
    ) {
        let mut session = Session::new(2.0, STEP * rtt);
        let mut until = Duration::ZERO;
        for (mbps, time) in rates {
            session.rate = mbps * 1e6 / 8.0;
            until += STEP * time;
            prop_assert_eq!(session.run(until), None);
        }
    }
}

#[test]
fn an_outage_is_no_other_flow() {
    let mut session = Session::new(2.0, 60 * STEP);
    session.run(Duration::from_secs(2));
    for back in [7, 12] {
        session.free += Duration::from_secs(3);
        assert_eq!(session.run(Duration::from_secs(back)), None);
    }
}

#[test]
fn it_comes_back_when_the_queue_has_been_short_for_two_seconds() {
    let mut session = Session::new(4.0, 60 * STEP);
    session.others = 300 * STEP;
    let gave_way = session.run(Duration::from_secs(10)).unwrap();
    (session.others, session.rate) = (Duration::ZERO, 4e6);
    let back = session.run(gave_way + Duration::from_secs(9)).unwrap();
    let pause = back.as_secs_f64() - gave_way.as_secs_f64();
    assert!((2.0..3.0).contains(&pause), "{pause}");
    assert!(session.is_by_delay());
    assert_eq!(session.run(back + Duration::from_secs(30)), None);
}

#[test]
fn it_tries_again_less_and_less_often_while_the_queue_is_long() {
    let mut session = Session::new(4.0, 60 * STEP);
    // The queue is short for one second of twenty, too little to come back for, so that the shortest round trip stays known.
    let mut next_change = || loop {
        let seconds = (session.now - session.start).as_secs();
        session.others = if seconds % 20 == 19 { Duration::ZERO } else { 300 * STEP };
        if let Some(time) = session.run(Duration::from_secs(seconds + 1)) {
            return time;
        }
    };
    let pauses: Vec<_> = (0..6)
        .map(|_| {
            let gave_way = next_change().as_secs_f64();
            (next_change().as_secs_f64() - gave_way) as u32
        })
        .collect();
    assert_eq!(pauses, [10, 20, 40, 80, 160, 160]);
}
