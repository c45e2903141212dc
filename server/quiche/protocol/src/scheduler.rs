//! Which flow's datagram is sent next.

use std::time::Instant;

use crate::flow::{Datagram, Flow, FlowId};

/// The flows of a session: the earliest deadline first, then in the order of the requests.
#[derive(Debug, Default)]
pub struct Scheduler {
    flows: Vec<(Option<Instant>, Flow)>,
}

impl Scheduler {
    /// Adds a flow; without a `deadline` it is sent after all flows that have one.
    pub fn add(&mut self, flow: Flow, deadline: Option<Instant>) {
        let key = |deadline: Option<Instant>| (deadline.is_none(), deadline);
        let place = self.flows.partition_point(|(other, _)| key(*other) <= key(deadline));
        self.flows.insert(place, (deadline, flow));
    }

    pub fn get(&self, id: impl Into<FlowId>) -> Option<&Flow> {
        let id = id.into();
        self.flows.iter().map(|(_, flow)| flow).find(|flow| flow.id() == id)
    }

    pub fn get_mut(&mut self, id: impl Into<FlowId>) -> Option<&mut Flow> {
        let id = id.into();
        self.flows.iter_mut().map(|(_, flow)| flow).find(|flow| flow.id() == id)
    }

    /// Removes a flow with its unsent bytes.
    pub fn remove(&mut self, id: impl Into<FlowId>) -> Option<Flow> {
        let id = id.into();
        let place = self.flows.iter().position(|(_, flow)| flow.id() == id)?;
        Some(self.flows.remove(place).1)
    }

    /// Removes all parts of a flow.
    pub fn remove_parts(&mut self, number: u64) -> Vec<Flow> {
        self.flows.extract_if(.., |(_, flow)| flow.number() == number).map(|(_, flow)| flow).collect()
    }

    /// Holds all parts of a flow back, or lets them go.
    pub fn hold(&mut self, number: u64, held: bool) {
        self.flows.iter_mut().filter(|(_, flow)| flow.number() == number).for_each(|(_, flow)| flow.hold(held));
    }

    /// Unsent bytes of all parts of a flow.
    pub fn unsent_bytes(&self, number: u64) -> usize {
        self.flows.iter().filter(|(_, flow)| flow.number() == number).map(|(_, flow)| flow.unsent_bytes()).sum()
    }

    /// The next datagram and its flow; `None` if no flow has one ready.
    pub fn next_datagram(&self) -> Option<(FlowId, Datagram)> {
        self.flows.iter().find_map(|(_, flow)| Some((flow.id(), flow.next_datagram()?)))
    }

    /// Stops the flows whose deadline is `now` or earlier.
    pub fn expire(&mut self, now: Instant) {
        for (deadline, flow) in &mut self.flows {
            if deadline.is_some_and(|deadline| deadline <= now) {
                flow.stop();
            }
        }
    }

    /// The time at which [`Scheduler::expire`] should be called next.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.flows.iter().filter(|(_, flow)| !flow.finished()).find_map(|(deadline, _)| *deadline)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn flow(number: u64) -> Flow {
        let mut flow = Flow::new(number, 100, 60, b"");
        flow.push(&[0; 100]);
        flow
    }

    fn sent_order(mut scheduler: Scheduler) -> Vec<u64> {
        let mut order = Vec::new();
        while let Some((number, datagram)) = scheduler.next_datagram() {
            scheduler.get_mut(number).unwrap().commit(datagram.payload, true);
            order.push(number.number);
        }
        order
    }

    #[test]
    fn the_earliest_deadline_goes_first_then_the_order_of_request() {
        let now = Instant::now();
        let mut scheduler = Scheduler::default();
        for (number, seconds) in [(1, None), (2, Some(9)), (3, None), (4, Some(5)), (5, Some(9))] {
            scheduler.add(flow(number), seconds.map(|seconds| now + Duration::from_secs(seconds)));
        }
        assert_eq!(scheduler.next_deadline(), Some(now + Duration::from_secs(5)));
        assert_eq!(sent_order(scheduler), [4, 4, 2, 2, 5, 5, 1, 1, 3, 3]);
    }

    #[test]
    fn a_flow_that_waits_for_its_file_holds_up_nobody() {
        let mut scheduler = Scheduler::default();
        scheduler.add(Flow::new(1, 100, 60, b""), Some(Instant::now()));
        scheduler.add(flow(2), None);
        assert_eq!(sent_order(scheduler), [2, 2]);
    }

    #[test]
    fn after_its_deadline_and_after_removal_a_flow_sends_nothing() {
        let now = Instant::now();
        let mut scheduler = Scheduler::default();
        scheduler.add(flow(1), Some(now));
        scheduler.add(flow(2), Some(now + Duration::from_millis(1)));
        scheduler.expire(now);
        scheduler.remove(2);
        assert!(scheduler.get(1).unwrap().finished());
        assert!(sent_order(scheduler).is_empty());
    }
}
