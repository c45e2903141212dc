"""What may be missing of a chunk whose missing frames are removed, and that encoders keep to it."""

from collections.abc import Collection, Sequence

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.errors import PreparationError, RepairError
from voxel_prepare.isobmff import Sample
from voxel_prepare.live.chunker import Chunk
from voxel_prepare.live.encoder import EncodedFrame
from voxel_prepare.live.gop import LAYERED, is_leaf, layer_needed
from voxel_prepare.repair.codec import Codec
from voxel_prepare.repair.frames import Frame


class RemovableFrames:
    """Reads the chunks of a representation, one after the other.

    A frame may be missing if all that need it are in the same chunk. Which those are is known before they are encoded;
    their headers must say the same, as viewers may have gone without a frame long before another needs it.
    """

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._group = b""
        """The samples of the group of pictures so far."""
        self._sizes: list[int] = []
        self._removable: set[int] = set()
        """Frames of the group that may be missing, by their places."""

    def read(self, chunk: Chunk[EncodedFrame]) -> list[Frame]:
        """Its frames; the bytes of those that may be missing, all of them, count from the start of the first sample.

        Raises `PreparationError` if the encoder has made others than were expected.
        """
        if chunk.frames[0].is_sync:
            self._group, self._sizes, self._removable = b"", [], set()
        first, start = len(self._sizes), len(self._group)
        self._sizes += [len(frame.data) for frame in chunk.frames]
        self._group += b"".join(frame.data for frame in chunk.frames)
        places = range(first, len(self._sizes))
        removable = {place for place in places if _may_be_missing(place, places, is_last=chunk.is_last)}
        self._check(places, removable)
        self._removable |= removable
        frames: list[Frame] = []
        for frame, sample in zip(chunk.frames, self._samples()[first:], strict=True):
            range_ = ByteRange(sample.offset, sample.offset + sample.size).moved(-start)
            place = first + len(frames)
            unreliable = (range_,) if place in removable else ()
            frames.append(Frame(len(frames), "P" if place else "I", not is_leaf(place), frame.time, unreliable))
        return frames

    def _check(self, places: range, removable: Collection[int]) -> None:
        try:
            made = self._codec.dependencies(self._group, self._samples())
        except RepairError as error:
            raise PreparationError(f"the encoder makes frames that players cannot do without: {error}") from error
        for place in places:
            frame = made[place]
            own = removable if place in removable else ()
            needed = [other for other in frame.needs if other in self._removable or other in removable]
            if frame.sample != place or not all(other in own for other in needed):
                raise PreparationError(f"the encoder makes frame {place} of a segment need others than were expected")

    def _samples(self) -> list[Sample]:
        samples: list[Sample] = []
        at = 0
        for size in self._sizes:
            samples.append(
                Sample(at, size, duration=1, composition_offset=0, decode_time=len(samples), flags=0, size_field=None)
            )
            at += size
        return samples


def _may_be_missing(place: int, chunk: Sequence[int], *, is_last: bool) -> bool:
    """Whether frames of later chunks can do without it. The first frame of a segment's last chunk must arrive: the next
    segment does not know what is left of it.
    """
    is_base = place % LAYERED == 0 or (is_last and place == chunk[0])
    return not is_base and (is_leaf(place) or is_last or layer_needed(place + 1) != place or place + 1 in chunk)
