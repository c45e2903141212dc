use crate::random::Random;
use std::time::Duration;

/// Time without a packet that counts as one. Counted in packets alone, a burst would outlast the pauses of a sender that has
/// noticed it and tries with one packet now and then.
const PAUSE: Duration = Duration::from_millis(100);

/// Which packets a direction loses, decided in the order of their arrival.
///
/// A chain with two states (Gilbert, "Capacity of a Burst-Noise Channel", 1960; Elliott 1963): every packet in the bad
/// state is lost, none in the good one. Losses are independent where both states lead to the bad one alike.
#[derive(Debug, Clone)]
pub struct Loss {
    random: Random,
    /// Probability that the next packet is lost.
    next: f64,
    /// When the latest packet came.
    latest: Duration,
    share: f64,
    /// The same after a packet that arrives: a burst begins.
    begins: f64,
    /// The same after a lost packet: its burst goes on.
    goes_on: f64,
}

impl Loss {
    /// Loses this share of the packets, independently of each other.
    pub fn independent(share: f64, random: Random) -> Self {
        Self { random, next: share, latest: Duration::ZERO, share, begins: share, goes_on: share }
    }

    /// Loses this share of the packets in bursts of `mean_burst` packets on average, 1 or more. A share beyond
    /// `mean_burst` / (`mean_burst` + 1) would leave no packet between two bursts: that is the error, with the most that can be.
    pub fn in_bursts(share: f64, mean_burst: f64, random: Random) -> Result<Self, f64> {
        let most = mean_burst / (mean_burst + 1.0);
        if share > most {
            return Err(most);
        }
        let ends = 1.0 / mean_burst;
        // The share of the bad state is begins / (begins + ends).
        let begins = (ends * share / (1.0 - share)).min(1.0);
        Ok(Self { random, next: share, latest: Duration::ZERO, share, begins, goes_on: 1.0 - ends })
    }

    /// Whether the next packet, which comes at `now`, is lost.
    pub fn takes_next(&mut self, now: Duration) -> bool {
        let pauses = now.saturating_sub(self.latest).as_millis() / PAUSE.as_millis();
        self.latest = now;
        // What each step leaves of the difference from the mean: the chain's second eigenvalue.
        let memory = (self.goes_on - self.begins).powi(i32::try_from(pauses).unwrap_or(i32::MAX));
        let lost = self.random.chance(self.share + memory * (self.next - self.share));
        self.next = if lost { self.goes_on } else { self.begins };
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKETS: usize = 1_000_000;

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
            let lost = losses(&mut Loss::in_bursts(share, mean_burst, Random::new(seed, 0)).expect("possible"));
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
        let bursts = bursts(&losses(&mut Loss::independent(share, Random::new(1, 0))));
        let mean = bursts.iter().sum::<f64>() / bursts.len() as f64;
        let bound = DEVIATIONS * (share / (1.0 - share).powi(2) / bursts.len() as f64).sqrt();
        assert!((mean - 1.0 / (1.0 - share)).abs() <= bound, "{mean}");
    }

    #[test]
    fn the_same_seed_loses_the_same_packets() {
        let of = |seed| losses(&mut Loss::in_bursts(0.05, 4.0, Random::new(seed, 0)).expect("possible"));
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn a_burst_does_not_wait_for_packets() {
        let mut chain = Loss::in_bursts(0.03, 4.0, Random::new(1, 0)).expect("possible");
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
        let mut most = Loss::in_bursts(0.5, 1.0, Random::new(1, 0)).expect("every other packet");
        let lost = losses(&mut most);
        assert!(lost.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(Loss::in_bursts(0.51, 1.0, Random::new(1, 0)).err(), Some(0.5));
    }

    #[test]
    fn all_and_nothing_can_be_lost() {
        assert!(losses(&mut Loss::independent(1.0, Random::new(1, 0))).iter().all(|&lost| lost));
        assert!(!losses(&mut Loss::in_bursts(0.0, 4.0, Random::new(1, 0)).expect("possible")).contains(&true));
    }
}
