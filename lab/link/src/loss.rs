use crate::{random::Random, schedule::Schedule};
use std::time::Duration;

/// Time without a packet that counts as one. Counted in packets alone, a burst would outlast the pauses of a sender that has
/// noticed it and tries with one packet now and then.
const PAUSE: Duration = Duration::from_millis(100);

/// Packets. Longer gaps are outages, which a trace has.
const MAX_BURST: f64 = 10_000.0;

/// Which packets are lost: a chain with two states (Gilbert, "Capacity of a Burst-Noise Channel", 1960; Elliott 1963). Every packet
/// in the bad state is lost, none in the good one. Losses are independent where both states lead to the bad one alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chain {
    share: f64,
    /// Probability that a packet is lost after one that arrives: a burst begins.
    begins: f64,
    /// The same after a lost packet: its burst goes on.
    goes_on: f64,
}

impl Chain {
    /// Loses `percent` of the packets, independently of each other or in bursts of `mean_burst` packets on average. A share beyond
    /// `mean_burst` / (`mean_burst` + 1) would leave no packet between two bursts. The error says which number cannot be.
    pub fn new(percent: f64, mean_burst: Option<f64>) -> Result<Self, String> {
        if !(0.0..=100.0).contains(&percent) {
            return Err(format!("percent must be between 0 and 100, got {percent}"));
        }
        let share = percent / 100.0;
        let independent = Self { share, begins: share, goes_on: share };
        let Some(mean_burst) = mean_burst else {
            return Ok(independent);
        };
        if !(1.0..=MAX_BURST).contains(&mean_burst) {
            return Err(format!("meanBurst must be between 1 and {MAX_BURST}, got {mean_burst}"));
        }
        let most = mean_burst / (mean_burst + 1.0);
        if share > most {
            let most = 100.0 * most;
            return Err(format!(
                "percent must be at most {most:.2} in bursts of {mean_burst} packets on average, got {percent}"
            ));
        }
        if share == 0.0 {
            // No burst of the time before goes on.
            return Ok(independent);
        }
        let ends = 1.0 / mean_burst;
        // The share of the bad state is begins / (begins + ends).
        let begins = (ends * share / (1.0 - share)).min(1.0);
        Ok(Self { share, begins, goes_on: 1.0 - ends })
    }

    pub fn loses_any(&self) -> bool {
        self.share > 0.0
    }

    /// Probability that a packet is lost `steps` packets after one that was, was not (`latest`), or is not known.
    fn after(&self, latest: Option<bool>, steps: i32) -> f64 {
        let expected = match latest {
            None => self.share,
            Some(true) => self.goes_on,
            Some(false) => self.begins,
        };
        // What each step leaves of the difference from the mean: the chain's second eigenvalue.
        let memory = (self.goes_on - self.begins).powi(steps);
        self.share + memory * (expected - self.share)
    }
}

/// The packets that a direction loses, decided in the order of their arrival.
#[derive(Debug, Clone)]
pub struct Loss {
    random: Random,
    chains: Schedule<Chain>,
    /// When the latest packet came, and whether it was lost.
    latest: Duration,
    was_lost: Option<bool>,
}

impl Loss {
    pub fn new(chains: Schedule<Chain>, random: Random) -> Self {
        Self { random, chains, latest: Duration::ZERO, was_lost: None }
    }

    /// Whether the next packet, which comes at `now`, is lost.
    pub fn takes_next(&mut self, now: Duration) -> bool {
        let pauses = now.saturating_sub(self.latest).as_millis() / PAUSE.as_millis();
        self.latest = now;
        let probability = self.chains.at(now).after(self.was_lost, i32::try_from(pauses).unwrap_or(i32::MAX));
        let lost = self.random.chance(probability);
        self.was_lost = Some(lost);
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKETS: usize = 1_000_000;

    fn loss(percent: f64, mean_burst: Option<f64>, seed: u64) -> Loss {
        let chain = Chain::new(percent, mean_burst).expect("possible");
        Loss::new(Schedule::constant(chain), Random::new(seed, 0))
    }

    fn losses(loss: &mut Loss) -> Vec<bool> {
        (0..PACKETS).map(|_| loss.takes_next(Duration::ZERO)).collect()
    }

    fn bursts(lost: &[bool]) -> Vec<f64> {
        lost.chunk_by(|a, b| a == b).filter(|run| run[0]).map(|run| run.len() as f64).collect()
    }

    /// Draws miss a bound of so many standard deviations by chance once in 147 000 times.
    const DEVIATIONS: f64 = 4.5;

    #[test]
    fn share_and_mean_burst_are_those_asked_for() {
        for (seed, (share, mean_burst)) in (0..).zip([(0.01, 4.0), (0.03, 4.0), (0.1, 4.0), (0.01, 1.0), (0.3, 20.0)]) {
            let lost = losses(&mut loss(100.0 * share, Some(mean_burst), seed));
            let ends = 1.0 / mean_burst;
            // Variance of the mean of a chain with two states whose second eigenvalue is `memory`.
            let memory = 1.0 - ends - ends * share / (1.0 - share);
            let variance = share * (1.0 - share) * (1.0 + memory) / (1.0 - memory);
            let found = lost.iter().filter(|&&lost| lost).count() as f64 / PACKETS as f64;
            let bound = DEVIATIONS * (variance / PACKETS as f64).sqrt();
            assert!((found - share).abs() <= bound, "share {share}: {found}, ± {bound}");
            let bursts = bursts(&lost);
            let mean = bursts.iter().sum::<f64>() / bursts.len() as f64;
            // Lengths are geometric.
            let bound = DEVIATIONS * ((1.0 - ends) / (ends * ends) / bursts.len() as f64).sqrt();
            assert!((mean - mean_burst).abs() <= bound, "burst {mean_burst}: {mean}, ± {bound}");
        }
    }

    #[test]
    fn independent_losses_have_the_bursts_of_chance() {
        let share = 0.1;
        let bursts = bursts(&losses(&mut loss(100.0 * share, None, 1)));
        let mean = bursts.iter().sum::<f64>() / bursts.len() as f64;
        let bound = DEVIATIONS * (share / (1.0 - share).powi(2) / bursts.len() as f64).sqrt();
        assert!((mean - 1.0 / (1.0 - share)).abs() <= bound, "{mean}");
    }

    #[test]
    fn the_same_seed_loses_the_same_packets() {
        let of = |seed| losses(&mut loss(5.0, Some(4.0), seed));
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn a_burst_does_not_wait_for_packets() {
        let mut chain = loss(3.0, Some(4.0), 1);
        let lost: Vec<bool> = (0..PACKETS as u64).map(|at| chain.takes_next(Duration::from_secs(at))).collect();
        let share = lost.iter().filter(|&&lost| lost).count() as f64 / PACKETS as f64;
        assert!((share - 0.03).abs() <= 0.002, "{share}");
        // Ten steps leave 4 % of the 72 % by which a packet behind a lost one is likelier to be lost.
        let bursts = bursts(&lost);
        let mean = bursts.iter().sum::<f64>() / bursts.len() as f64;
        assert!((1.03..1.1).contains(&mean), "{mean}");
    }

    #[test]
    fn a_packet_arrives_between_two_bursts() {
        let mut most = loss(50.0, Some(1.0), 1);
        let lost = losses(&mut most);
        assert!(lost.windows(2).all(|pair| pair[0] != pair[1]));
        let problem = Chain::new(51.0, Some(1.0)).expect_err("no packet between two bursts");
        assert_eq!(problem, "percent must be at most 50.00 in bursts of 1 packets on average, got 51");
    }

    #[test]
    fn all_and_nothing_can_be_lost() {
        assert!(losses(&mut loss(100.0, None, 1)).iter().all(|&lost| lost));
        assert!(!losses(&mut loss(0.0, Some(4.0), 1)).contains(&true));
    }

    #[test]
    fn each_second_loses_its_own_share() {
        const PER_SECOND: u64 = 1000;
        const PASSES: u64 = 1000;
        let chain = |percent, mean_burst| Chain::new(percent, mean_burst).expect("possible");
        let dirty = [(1.0, chain(0.0, Some(4.0))), (1.0, chain(55.0, Some(4.0))), (1.0, chain(2.0, None))];
        let mut loss = Loss::new(Schedule::new(dirty, Duration::ZERO), Random::new(1, 0));
        let mut counts = [0; 3];
        for packet in 0..3 * PER_SECOND * PASSES {
            let is_lost = loss.takes_next(Duration::from_micros(1_000_000 / PER_SECOND * packet));
            counts[(packet / PER_SECOND % 3) as usize] += u32::from(is_lost);
        }
        assert!(
            counts[0] == 0 && counts[1].abs_diff(550_000) < 5000 && counts[2].abs_diff(20_000) < 1000,
            "{counts:?}"
        );
    }
}
