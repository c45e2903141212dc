"""Pictures of one shape: those of a source that changes its size or aspect, or that is interlaced, are made like the
first.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from av.filter import Graph
from av.video.frame import VideoFrame


class _Kind(NamedTuple):
    """What pictures of one graph of filters have in common."""

    width: int
    height: int
    format: str
    is_interlaced: bool


class Fit:
    """Gives pictures the first one's shape: what does not fill it has bars; interlaced ones become progressive."""

    def __init__(self, width: int, height: int, display: tuple[int, int]) -> None:
        """Width and height in samples, and as displayed, in square pixels."""
        self._size = width, height
        self._display = display
        self._format: str | None = None
        self._kind: _Kind | None = None
        self._graph: Graph | None = None
        self._is_interlaced = False

    def fitted(self, picture: VideoFrame, aspect: Fraction) -> Iterator[VideoFrame]:
        """The pictures that come out with this one, which may be an earlier one. `aspect`: that of a sample."""
        self._format = self._format or picture.format.name
        # Some pictures of an interlaced stream may not be marked.
        self._is_interlaced |= picture.interlaced_frame
        kind = _Kind(picture.width, picture.height, picture.format.name, self._is_interlaced)
        if kind == (*self._size, self._format, False):
            yield picture
            return
        if kind != self._kind:
            yield from self.rest()
            self._kind, self._graph = kind, self._make(picture, kind, aspect)
        assert self._graph is not None
        self._graph.vpush(picture)
        yield from self._pulled()

    def rest(self) -> Iterator[VideoFrame]:
        """What is left at the end of the source, or before another kind of pictures."""
        if self._graph is not None:
            self._graph.vpush(None)
            yield from self._pulled()
            self._kind = self._graph = None

    def _make(self, picture: VideoFrame, kind: _Kind, aspect: Fraction) -> Graph:
        width, height = self._inner(kind, aspect)
        graph = Graph()
        filters = [
            *([("bwdif", "mode=send_frame:deint=interlaced")] if kind.is_interlaced else []),
            ("scale", f"{width}:{height}"),
            ("pad", "{}:{}:(ow-iw)/2:(oh-ih)/2".format(*self._size)),
            ("setsar", "1"),
            ("format", self._format),
        ]
        nodes = [
            graph.add_buffer(width=kind.width, height=kind.height, format=picture.format, time_base=picture.time_base),
            *(graph.add(name, arguments) for name, arguments in filters),
            graph.add("buffersink"),
        ]
        graph.link_nodes(*nodes).configure()
        return graph

    def _inner(self, kind: _Kind, aspect: Fraction) -> tuple[int, int]:
        """Size without bars, in samples of the first picture, even."""
        width, height = kind.width * aspect, Fraction(kind.height)
        factor = min(self._display[0] / width, self._display[1] / height)
        shares = width * factor / self._display[0], height * factor / self._display[1]
        return _even(self._size[0] * shares[0]), _even(self._size[1] * shares[1])

    def _pulled(self) -> Iterator[VideoFrame]:
        assert self._graph is not None
        while True:
            try:
                yield self._graph.vpull()
            except (BlockingIOError, EOFError):
                return


def _even(size: Fraction) -> int:
    return max(2, 2 * round(size / 2))
