"""Chooses the flow that sends the next datagram. No I/O, no clock."""

import math
from collections.abc import Callable

from .flow import Flow


class Scheduler:
    """The flows of one session: the earliest deadline first, then in the order of request."""

    def __init__(self, may_send_parity: Callable[[], bool] = lambda: True) -> None:
        """`may_send_parity`: whether the link has room for it now."""
        self._may_send_parity = may_send_parity
        self._flows: list[tuple[float, Flow]] = []
        self._chosen: Flow | None = None

    def __contains__(self, number: int) -> bool:
        return any(flow.number == number for _, flow in self._flows)

    def add(self, flow: Flow, deadline: float | None = None) -> None:
        """`deadline` is a time on any clock that all flows share; None: the flow comes after all that have one."""
        self._flows.append((math.inf if deadline is None else deadline, flow))
        self._flows.sort(key=lambda entry: entry[0])

    def remove(self, flow: Flow) -> None:
        """Drops the flow and its unsent bytes."""
        flow.stop()
        self._flows = [entry for entry in self._flows if entry[1] is not flow]

    def peek(self) -> bytes | None:
        """The next datagram; None if no flow has one ready."""
        for _, flow in self._flows:
            datagram = flow.peek()
            if datagram is not None:
                self._chosen = flow
                return datagram
        return None

    def commit(self) -> None:
        """Counts the last peeked datagram as sent: it is in a packet."""
        if self._chosen is not None:
            self._chosen.commit(self._may_send_parity)
            self._chosen = None
