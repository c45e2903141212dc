"""Puts what a container has one track after the other into the order of its times: fragments of several seconds of
pictures and then their sound, pictures a second ahead of their sound as broadcasters send them.
"""

from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

from voxel_prepare.live.input_clock import BACK_SECONDS, JUMP_SECONDS

ItemT = TypeVar("ItemT")

UNSEEN_SECONDS = 12.0
"""How far others may come before the first of a track is no longer awaited: a fragment with its pictures."""

TOLERATED_SECONDS = 0.15
"""A track that lags less is in time without being awaited."""

MARGIN_SECONDS = 0.5
"""A track that lags by so much more than ever before has ended."""

WAIT_SECONDS = 1.0
"""How long the first of a track is awaited where items come in real time."""

MAX_HELD = 4096
"""Items: bounds what times without sense would hold back."""


class Interleaver(Generic[ItemT]):
    """Holds back items of tracks until those with earlier times are there, as far as they are to be expected."""

    def __init__(self, tracks: int) -> None:
        self._held: list[deque[tuple[float, ItemT]]] = [deque() for _ in range(tracks)]
        self._last: list[float | None] = [None] * tracks
        """The newest time of each track."""
        self._lag = 0.0
        """Seconds by which a track has come after another, at most."""

    def add(self, track: int, seconds: float | None, item: ItemT) -> Iterator[ItemT]:
        """An item of a track with its time; None: it has that of the one before. What is put out before it."""
        last = self._last[track]
        time = (last or 0.0) if seconds is None else seconds
        if last is not None and not -BACK_SECONDS <= time - last <= JUMP_SECONDS:
            yield from self.rest()
            self._last = [None] * len(self._held)
        lag = self._newest(time) - time
        if lag <= UNSEEN_SECONDS:
            self._lag = max(self._lag, lag)
        self._last[track] = time
        self._held[track].append((time, item))

    def ready(self, waited: float) -> Iterator[ItemT]:
        """What need not be held back any longer; `waited`: seconds since the first item."""
        while any(self._held):
            is_full = sum(map(len, self._held)) > MAX_HELD
            if not is_full and any(self._is_awaited(track, waited) for track in range(len(self._held))):
                return
            yield self._pop()

    def rest(self) -> Iterator[ItemT]:
        """All that is left."""
        while any(self._held):
            yield self._pop()

    def _pop(self) -> ItemT:
        _, track = min((held[0][0], track) for track, held in enumerate(self._held) if held)
        return self._held[track].popleft()[1]

    def _is_awaited(self, track: int, waited: float) -> bool:
        """Whether an item of a track of which none is held may be earlier than those of others."""
        if self._held[track]:
            return False
        last = self._last[track]
        if last is None:
            first = min(held[0][0] for held in self._held if held)
            return waited < WAIT_SECONDS and self._newest(first) - first <= UNSEEN_SECONDS
        lag = self._lag + MARGIN_SECONDS if self._lag > TOLERATED_SECONDS else 0.0
        return self._newest(last) - last < lag

    def _newest(self, time: float) -> float:
        return max(time, *(last for last in self._last if last is not None), time)
