"""Pictures of segments, through PyAV."""

from collections.abc import Iterable, Iterator, Mapping

import av
import numpy as np
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame

from voxel_prepare.repair.codec import Codec

PROBED_ROWS = 16
"""One row in this many is compared first."""


def decode_samples(
    codec: Codec, samples: Iterable[tuple[int, bytes]], options: Mapping[str, str] | None = None
) -> Iterator[VideoFrame]:
    """The pictures of numbered samples in order of presentation, one at a time; a picture's `pts` is its number.

    `options` are those of FFmpeg's decoder.
    """
    decoder = VideoCodecContext.create(codec.decoder, "r")
    assert isinstance(decoder, VideoCodecContext)
    decoder.extradata = codec.configuration
    decoder.thread_count = 1  # segments are decoded in parallel instead
    # Streams that do not state their reordering depth come out in order only if the decoder assumes the deepest.
    decoder.options = {"strict": "1", **(options or {})}
    for number, data in samples:
        packet = av.Packet(data)
        packet.pts = number
        yield from decoder.decode(packet)
    yield from decoder.decode(None)


class DamagedPicture(Exception):
    """The decoder has concealed a part of a picture."""


def check_decodable(codec: Codec, samples: Iterable[bytes]) -> None:
    """Raises `FFmpegError` where the decoder reports an error; `DamagedPicture` where it says nothing and conceals, as
    where a slice is missing.
    """
    for picture in decode_samples(codec, enumerate(samples), {"err_detect": "explode"}):
        if picture.is_corrupt:
            raise DamagedPicture(f"a part of picture {picture.pts} is missing or damaged")


def same_picture(one: VideoFrame, other: VideoFrame) -> bool:
    """True when both have the same size, format and samples."""
    if one is other:
        return True
    if (one.width, one.height, one.format.name) != (other.width, other.height, other.format.name):
        return False
    pairs = [(_rows(one, plane), _rows(other, plane)) for plane in range(len(one.planes))]
    # A few rows are enough to distinguish most pictures.
    return all(np.array_equal(a[::PROBED_ROWS], b[::PROBED_ROWS]) for a, b in pairs) and all(
        np.array_equal(a, b) for a, b in pairs
    )


def picture_bytes(picture: VideoFrame) -> bytes:
    """All samples, plane by plane, as FFmpeg's `rawvideo`."""
    return b"".join(_rows(picture, plane).tobytes() for plane in range(len(picture.planes)))


def _rows(frame: VideoFrame, index: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """A plane's bytes without the padding at the end of its rows."""
    plane = frame.planes[index]
    component = frame.format.components[index]
    row_bytes = plane.width * ((component.bits + 7) // 8)
    return np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)[:, :row_bytes]
