"""Which flow's datagram goes next. No I/O, no clock."""

import math

from .flow import Flow


class Scheduler:
    """The flows of one session: the earliest deadline first, then in the order of request."""

    def __init__(self) -> None:
        self._flows: list[tuple[float, Flow]] = []
        self._chosen: Flow | None = None

    def __contains__(self, number: int) -> bool:
        return any(flow.number == number for _, flow in self._flows)

    def add(self, flow: Flow, deadline: float | None = None) -> None:
        """`deadline`: on any clock that all flows of this scheduler share; None: after all flows that have one."""
        self._flows.append((math.inf if deadline is None else deadline, flow))
        self._flows.sort(key=lambda entry: entry[0])

    def remove(self, flow: Flow) -> None:
        """Drops the flow and what it has unsent."""
        flow.stop()
        self._flows = [entry for entry in self._flows if entry[1] is not flow]

    def peek(self) -> bytes | None:
        """The datagram that goes next; None when no flow has one ready."""
        for _, flow in self._flows:
            datagram = flow.peek()
            if datagram is not None:
                self._chosen = flow
                return datagram
        return None

    def commit(self) -> None:
        """The datagram last peeked at has gone into a packet."""
        if self._chosen is not None:
            self._chosen.commit()
            self._chosen = None
