"""Pictures of one shape and kind, 8-bit 4:2:0 SDR of limited range: those of a source that changes its size or aspect
are made like the first, interlaced ones progressive.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from av.filter import Graph
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange

from voxel_prepare.live.tone_mapping import ToneMapping


class _Kind(NamedTuple):
    """What pictures of one graph of filters have in common."""

    width: int
    height: int
    aspect: Fraction
    """That of a sample."""
    format: str
    is_full_range: bool
    is_interlaced: bool


FORMAT = "yuv420p"
"""What encoders take."""

FULL_RANGE = {"yuvj420p", "yuvj422p", "yuvj444p"}

BAR_SAMPLES = 2
"""Both bars of a picture together are this wide or high at least."""


class Fit:
    """Gives pictures the first one's shape: what does not fill it has bars; interlaced ones become progressive."""

    def __init__(self, width: int, height: int, display: tuple[int, int]) -> None:
        """Width and height in samples, and as displayed, in square pixels."""
        self._size = width, height
        self._display = display
        self._kind: _Kind | None = None
        self._graph: Graph | None = None
        self._is_interlaced = False
        self._tones = ToneMapping()

    def fitted(self, picture: VideoFrame, aspect: Fraction) -> Iterator[VideoFrame]:
        """The pictures that come out with this one, which may be an earlier one. `aspect`: that of a sample."""
        # Some pictures of an interlaced stream may not be marked.
        self._is_interlaced |= picture.interlaced_frame
        picture = self._tones.mapped(picture)
        is_full = picture.color_range == ColorRange.JPEG or picture.format.name in FULL_RANGE
        kind = _Kind(picture.width, picture.height, aspect, picture.format.name, is_full, self._is_interlaced)
        if self._is_right(kind):
            yield from self.rest()
            yield picture
            return
        if kind != self._kind:
            yield from self.rest()
            self._kind, self._graph = kind, self._make(picture, kind)
        assert self._graph is not None
        self._graph.vpush(picture)
        yield from self._pulled()

    def _is_right(self, kind: _Kind) -> bool:
        is_shaped = (kind.width, kind.height) == self._size and self._inner(kind) == self._size
        return is_shaped and kind.format == FORMAT and not kind.is_full_range and not kind.is_interlaced

    def rest(self) -> Iterator[VideoFrame]:
        """What is left at the end of the source, or before another kind of pictures."""
        if self._graph is not None:
            self._graph.vpush(None)
            yield from self._pulled()
            self._kind = self._graph = None

    def _make(self, picture: VideoFrame, kind: _Kind) -> Graph:
        width, height = self._inner(kind)
        range_ = "full" if kind.is_full_range else "limited"
        graph = Graph()
        filters = [
            *([("bwdif", "mode=send_frame:deint=interlaced")] if kind.is_interlaced else []),
            ("scale", f"{width}:{height}:in_range={range_}:out_range=limited"),
            ("pad", "{}:{}:(ow-iw)/2:(oh-ih)/2".format(*self._size)),
            ("setsar", "1"),
            ("format", FORMAT),
        ]
        nodes = [
            graph.add_buffer(width=kind.width, height=kind.height, format=picture.format, time_base=picture.time_base),
            *(graph.add(name, arguments) for name, arguments in filters),
            graph.add("buffersink"),
        ]
        graph.link_nodes(*nodes).configure()
        return graph

    def _inner(self, kind: _Kind) -> tuple[int, int]:
        """Size without bars, in samples of the first picture; even, or that of the first picture."""
        width, height = kind.width * kind.aspect, Fraction(kind.height)
        factor = min(self._display[0] / width, self._display[1] / height)
        shares = width * factor / self._display[0], height * factor / self._display[1]
        return _inner_size(self._size[0], shares[0]), _inner_size(self._size[1], shares[1])

    def _pulled(self) -> Iterator[VideoFrame]:
        assert self._graph is not None
        while True:
            try:
                yield self._graph.vpull()
            except (BlockingIOError, EOFError):
                return


def _inner_size(size: int, share: Fraction) -> int:
    """Sizes as displayed are rounded: what all but fills the picture fills it."""
    inner = size * share
    return size if size - inner < BAR_SAMPLES else max(2, 2 * round(inner / 2))
