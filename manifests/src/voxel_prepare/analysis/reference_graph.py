"""How strongly frames refer to each other: the weights of the thesis' orders 3 and 4 (§5.1.2, §5.1.3)."""

from collections.abc import Sequence
from math import inf

from voxel_prepare.analysis.motion import Prediction

FOLLOWED_SHARE = 0.01
"""Share of a picture's macroblocks: weaker references are counted but not followed (thesis §5.1.3)."""


class ReferenceGraph:
    """A directed acyclic graph from each frame to those predicted from it; weights are in macroblocks."""

    def __init__(self, predictions: Sequence[Sequence[Prediction]], picture_macroblocks: int) -> None:
        """`predictions` has those of each frame, in decode order."""
        self._threshold = FOLLOWED_SHARE * picture_macroblocks
        self._successors: list[list[tuple[int, float]]] = [[] for _ in predictions]
        for index, of_frame in enumerate(predictions):
            for prediction in of_frame:
                if prediction.macroblocks > 0:
                    self._successors[prediction.reference].append((index, prediction.macroblocks))

    def summed(self) -> list[float]:
        """For each frame the sum of direct references to it."""
        return [sum(weight for _, weight in successors) for successors in self._successors]

    def chained(self) -> list[float]:
        """For each frame the sum of direct and transitive references to it."""
        return [self._walk(index) for index in range(len(self._successors))]

    def _walk(self, start: int) -> float:
        """Algorithm 1 with a stack of its own, as chains are long. Each branch has its own cap, as Fig. 5.8 counts."""
        weight = 0.0
        branches = [(start, inf)]
        while branches:
            node, cap = branches.pop()
            for successor, edge in self._successors[node]:
                weight += min(cap, edge)
                if min(cap, edge) >= self._threshold:
                    branches.append((successor, min(cap, edge)))
        return weight
