"""What repair and preparation must know of a codec: src/repair/codec.ts is the player's twin.

`voxel_prepare.codecs` lists those that there are.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, Self, TypeAlias

from voxel_prepare.byte_ranges import EVERYTHING, Received
from voxel_prepare.errors import UnsupportedStream
from voxel_prepare.isobmff import Buffer, Sample

PictureType: TypeAlias = Literal["I", "P", "B"]


@dataclass(frozen=True, slots=True)
class Edit:
    """`data` replaces `[start, end)` of the segment."""

    start: int
    end: int
    data: bytes

    @property
    def growth(self) -> int:
        return len(self.data) - (self.end - self.start)


class FramePart(Protocol):
    """A part of a frame that is lost and replaced by itself, as a slice: bytes `[start, end)` of the segment."""

    @property
    def start(self) -> int: ...

    @property
    def header_end(self) -> int:
        """`[start, header_end)` is read by repair, and so must not be encrypted."""
        ...

    @property
    def reliable_end(self) -> int:
        """`[start, reliable_end)` must arrive, `[reliable_end, end)` may be missing."""
        ...

    @property
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class CodedFrame:
    """A frame as its codec reads it: bytes `[start, end)` of the segment."""

    start: int
    end: int
    type: PictureType
    is_reference: bool
    """Other frames may refer to it."""
    parts: Sequence[FramePart]
    """Ascending."""
    edits: Sequence[Edit]
    """What stands in for each part that is missing, ascending."""


@dataclass(frozen=True, slots=True)
class DependentFrame:
    """A coded frame with all that it needs, for removal: bytes `[start, end)` of the segment, with all its headers."""

    sample: int
    """Place of its sample in the segment, in decode order."""
    start: int
    end: int
    needs: tuple[int, ...]
    """Frames of the segment, by their place in decode order, whose decoding it depends on; all are earlier ones."""
    is_shown: bool
    """It makes its sample's picture: the last frame of a sample; others are hidden."""
    must_arrive: bool
    """It cannot be taken out: the segment's first frame, and what the codec needs wherever decoding goes on."""


def whole_samples(frames: Sequence[DependentFrame], samples: Sequence[Sample]) -> list[DependentFrame]:
    """One frame for each sample, with all of its bytes: for encrypted samples, out of which nothing can be taken.

    `frames` are all of `samples`.
    """
    needs: list[set[int]] = [set() for _ in samples]
    must_arrive = {frame.sample for frame in frames if frame.must_arrive}
    for frame in frames:
        needs[frame.sample].update(frames[needed].sample for needed in frame.needs)
    return [
        DependentFrame(
            sample=place,
            start=sample.offset,
            end=sample.offset + sample.size,
            needs=tuple(sorted(needs[place] - {place})),
            is_shown=True,
            must_arrive=place in must_arrive,
        )
        for place, sample in enumerate(samples)
    ]


ReadSample: TypeAlias = Callable[[int, int], Sequence[CodedFrame]]
"""The frames of the sample at `[start, end)`, in decode order; called for one sample of a segment after the other.

Raises a `RepairError`: `MissingReliableBytes` if bytes have not arrived that repair cannot do without.
"""


@dataclass(frozen=True)
class Codec(ABC):
    """A codec of video with the configuration of one track: cheap to make, and not parsed before it is needed."""

    name: ClassVar[str]
    """FFmpeg's name of the codec."""
    decoder: ClassVar[str]
    """FFmpeg's name of the decoder that runs everywhere, in software."""
    title: ClassVar[str]
    """Users' name of it."""
    sample_entries: ClassVar[tuple[str, ...]]
    """Four-character codes of its tracks; the first one is written."""
    configuration_box: ClassVar[str]
    """Four-character code of the box in a sample entry that configures the decoder."""
    least_configuration: ClassVar[int]
    """Bytes of that box's payload at least."""

    is_replaced: ClassVar[bool] = False
    """Another frame stands in for one that is missing; else frames are removed."""

    configuration: bytes
    """The payload of that box."""
    sample_entry: str = ""
    """The one of `sample_entries` that the track has; empty: the first."""

    @classmethod
    @abstractmethod
    def encoded(cls, extradata: bytes) -> Self:
        """The codec of what one of FFmpeg's encoders with a global header puts out. Raises `MalformedStream`."""

    @abstractmethod
    def to_sample(self, packet: bytes) -> bytes:
        """The sample of one of that encoder's packets."""

    @abstractmethod
    def codecs(self, sample_entry: str) -> str:
        """The value of `Representation@codecs` (RFC 6381)."""

    @abstractmethod
    def check_start(self, data: Buffer, sample: Sample) -> None:
        """Raises `MisalignedSegments` unless decoding can start with `sample`, whatever came before it.

        The stream may be one that repair does not support.
        """

    def reader(self, segment: Buffer, received: Received = EVERYTHING) -> ReadSample:
        """Reads the frames of a segment in which bytes that have not arrived may have any value.

        Raises a `RepairError` if repair does not support the track, as where frames can be removed only.
        """
        raise UnsupportedStream(f"{self.title} has nothing that stands in for a frame: frames are removed")

    def filler(self, size: int) -> bytes:
        """`size` bytes at the end of a sample that decoders pass over; empty if there are none of that size."""
        return b""

    def dependencies(
        self, segment: Buffer, samples: Sequence[Sample], clear: Received = EVERYTHING
    ) -> list[DependentFrame]:
        """The frames of a complete segment, in decode order, with what they need. `clear`: which bytes are not
        encrypted; of others nothing is told.

        Raises a `RepairError` where that cannot be told.
        """
        raise UnsupportedStream(f"what frames of {self.title} need cannot be told")
