"""The order of frames that are removed: again and again the cheapest closed set for its bytes goes to the end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import inf

import numpy as np

from voxel_prepare.analysis.closed_sets import ClosedSets, members
from voxel_prepare.analysis.hold_losses import Floats

LIMITS = (2, *range(10, 210, 10))
"""Limits of the loss, in steps of the metric's scale. Without them a large set goes early and spoils what is useful."""


class HeldPictures:
    """The pictures that are kept, and what it costs to hold each until the next one is shown."""

    def __init__(self, losses: Floats) -> None:
        """`losses[shown, place]`: what the segment's score loses while one picture is shown in the place of another."""
        count = len(losses)
        self._sums = np.concatenate([np.zeros((count, 1)), np.cumsum(losses, axis=1)], axis=1)
        self._before = list(range(-1, count - 1))
        self._next = list(range(1, count + 1))

    def added(self, places: Sequence[int]) -> float:
        """The loss that is added if these pictures, ascending and kept so far, are missing."""
        added = 0.0
        end = -1
        for place in places:
            if place != end:
                shown = self._before[place]
            end = self._next[place]
            added += self._held(shown, place, end) - self._held(place, place, end)
        return added

    def remove(self, place: int) -> float:
        """Takes a picture away; the loss that is added."""
        added = self.added([place])
        before, following = self._before[place], self._next[place]
        self._next[before] = following
        if following < len(self._before):
            self._before[following] = before
        return added

    def _held(self, shown: int, start: int, end: int) -> float:
        return float(self._sums[shown, end] - self._sums[shown, start])


@dataclass(frozen=True, slots=True)
class ClosedOrder:
    """Frames in the order, with what is predicted of them."""

    order: list[int]
    """Frames that may be missing, the most important first: each comes after all that it needs."""
    losses: list[float]
    """The predicted loss of score at each prefix from no frame to all."""


def closed_order(sets: ClosedSets, losses: Floats, step: float) -> ClosedOrder:
    """The order of frames that may be missing; `losses` as in `HeldPictures`, `step`: the unit of `LIMITS`.

    As much as possible goes below each limit of the loss: a set that would exceed it waits for the next limit. Prices
    rise while others go, as a picture is held for longer: a price is computed again only when it is the lowest.
    """
    held = HeldPictures(losses)
    missing = 0
    dropped: list[int] = []
    lost = [0.0]

    def priced(index: int) -> tuple[float, float]:
        """What is lost by the frame and all that goes with it: for each byte, and in all."""
        closed = list(members(sets.with_dependents(index) & ~missing))
        loss = held.added(_places(sets, closed))
        return loss / sum(sets.frames[member].range.size for member in closed), loss

    waiting = [(priced(index)[0], -index) for index in sets.droppable]
    for limit in (*(steps * step for steps in LIMITS), inf):
        candidates, waiting = waiting, []
        heapify(candidates)
        while candidates:
            _, negative = heappop(candidates)
            if missing >> -negative & 1:
                continue
            price, loss = priced(-negative)
            if lost[-1] + loss > limit:
                waiting.append((price, negative))
            elif candidates and price > candidates[0][0]:
                heappush(candidates, (price, negative))
            else:
                for member in reversed(list(members(sets.with_dependents(-negative) & ~missing))):
                    picture = sets.frames[member].picture
                    lost.append(lost[-1] + (0.0 if picture is None else held.remove(picture)))
                    dropped.append(member)
                    missing |= 1 << member
    return ClosedOrder(dropped[::-1], lost[::-1])


def additive_costs(sets: ClosedSets, losses: Floats) -> dict[int, float]:
    """A cost for each frame that may be missing, such that the costs of it and all that need it add up to what is lost
    without them; not negative, so that they may be more."""
    held = HeldPictures(losses)
    costs: dict[int, float] = {}
    for index in reversed(sets.droppable):  # what needs it comes later in decode order
        closed = list(members(sets.with_dependents(index)))
        others = sum(costs[other] for other in closed if other != index)
        costs[index] = max(0.0, held.added(_places(sets, closed)) - others)
    return costs


def _places(sets: ClosedSets, frames: Iterable[int]) -> list[int]:
    """The places of the frames' pictures, ascending."""
    pictures = (sets.frames[index].picture for index in frames)
    return sorted(picture for picture in pictures if picture is not None)
