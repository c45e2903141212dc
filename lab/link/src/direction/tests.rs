use super::*;
use crate::{
    loss::Chain,
    queue::{DropTail, Limit},
    random::Random,
    testing::{ms, number_of, packet},
    trace::{RateTrace, Trace},
};

/// 12 Mbit/s, so that a full packet takes 1 ms; a queue of 10; 15 ms of delay.
fn direction(loss: f64, seed: u64) -> Direction {
    let trace = Trace::Rates(RateTrace::constant(12e6).expect("a valid rate"));
    Direction::new(Stages {
        loss: Loss::new(Schedule::constant(Chain::new(100.0 * loss, None).expect("a share")), Random::new(seed, 0)),
        queue: Box::new(DropTail::new(Limit::Packets(10))),
        transmitter: Transmitter::new(trace, Duration::ZERO),
        delay: Schedule::constant(ms(15)),
    })
}

fn departures(direction: &mut Direction, now: Duration) -> Vec<(u32, Duration)> {
    direction.advance(now);
    std::iter::from_fn(|| direction.take_due(now))
        .map(|departure| (number_of(&departure.packet), departure.due))
        .collect()
}

#[test]
fn packets_leave_after_transmission_and_delay() {
    let mut direction = direction(0.0, 1);
    direction.arrive(packet(0, ms(100)));
    direction.arrive(packet(1, ms(100)));
    direction.arrive(packet(2, ms(200)));
    assert_eq!(direction.next_event(), ms(116), "the first one reaches the far end");
    assert_eq!(departures(&mut direction, ms(500)), [(0, ms(116)), (1, ms(117)), (2, ms(216))]);
    assert_eq!(direction.next_event(), TICK);
}

#[test]
fn a_packet_travels_for_as_long_as_the_delay_of_its_second_but_overtakes_none() {
    let mut direction = direction(0.0, 1);
    direction.stages.delay = Schedule::new([(1.0, ms(100)), (1.0, ms(20))], Duration::ZERO);
    direction.arrive(packet(0, ms(0)));
    direction.arrive(packet(1, ms(990)));
    assert_eq!(direction.next_event(), ms(101));
    direction.arrive(packet(2, ms(1000)));
    direction.arrive(packet(3, ms(1100)));
    let due = [(0, ms(101)), (1, ms(1091)), (2, ms(1091)), (3, ms(1121))];
    assert_eq!(departures(&mut direction, ms(1500)), due);
}

#[test]
fn nothing_leaves_early() {
    let mut direction = direction(0.0, 1);
    direction.arrive(packet(0, ms(100)));
    assert_eq!(departures(&mut direction, ms(115)), []);
    assert_eq!(departures(&mut direction, ms(116)).len(), 1);
}

#[test]
fn one_packet_is_sent_while_the_limit_waits() {
    let mut direction = direction(0.0, 1);
    (0..15).for_each(|number| direction.arrive(packet(number, ms(0))));
    assert_eq!(departures(&mut direction, ms(500)).len(), 11);
    direction.finish(ms(500));
    assert_eq!(direction.take_ticks()[0].drops, Drops { full: 4, managed: 0 });
}

#[test]
fn a_late_caller_costs_no_capacity() {
    let arrivals: Vec<Packet> =
        (0..2000).map(|number| packet(number, Duration::from_micros(700 * u64::from(number)))).collect();
    let run = |look_every: usize| {
        let mut direction = direction(0.0, 1);
        for (index, packet) in arrivals.iter().enumerate() {
            if index % look_every == 0 {
                // The clock is ahead of the packets that were read before it.
                direction.advance(packet.arrived + Duration::from_micros(300));
            }
            direction.arrive(packet.clone());
        }
        departures(&mut direction, ms(10_000)).len()
    };
    let exact = run(1);
    assert!(run(7).abs_diff(exact) <= 2 && run(2000).abs_diff(exact) <= 2, "{exact} packets");
}

#[test]
fn the_same_seed_loses_the_same_packets() {
    let survivors = |seed| {
        let mut direction = direction(0.1, seed);
        (0..1000).for_each(|number| direction.arrive(packet(number, ms(2 * u64::from(number)))));
        departures(&mut direction, ms(10_000)).into_iter().map(|(number, _)| number).collect::<Vec<_>>()
    };
    assert_eq!(survivors(1), survivors(1));
    assert_ne!(survivors(1), survivors(2));
    assert!((850..950).contains(&survivors(1).len()));
}

#[test]
fn ticks_account_for_every_packet() {
    let mut direction = direction(0.2, 3);
    for number in 0..5000u32 {
        direction.arrive(packet(number, Duration::from_micros(500 * u64::from(number))));
    }
    direction.finish(ms(2600));
    let ticks = direction.take_ticks();
    assert_eq!(ticks.iter().map(|tick| tick.start).collect::<Vec<_>>(), [ms(0), ms(1000), ms(2000)]);
    let total = |value: fn(&Tick) -> u64| ticks.iter().map(value).sum::<u64>();
    let arrived = total(|tick| tick.arrived.packets as u64);
    let gone = total(|tick| tick.delivered.packets as u64 + tick.lost + tick.drops.full + tick.drops.managed);
    assert_eq!((arrived, gone), (5000, 5000));
    assert_eq!(ticks[2].queue, Backlog::default());
    assert!((999..=1000).contains(&ticks[0].delivered.packets), "1 ms each");
    assert!((ticks[0].capacity_bytes - 1.5e6).abs() < 1e-3 && (ticks[2].capacity_bytes - 0.9e6).abs() < 1e-3);
    assert!(ticks[1].sojourn_max <= ms(11) && ticks[1].sojourn_max > ms(9), "{:?}", ticks[1].sojourn_max);
}
