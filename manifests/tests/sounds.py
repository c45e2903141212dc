"""What is heard in an audio representation that `voxel-live` has written."""

from pathlib import Path

import av
from av.audio.frame import AudioFrame


def decoded_sound(folder: Path) -> list[AudioFrame]:
    """All frames of the segments of a representation."""
    segments = sorted(folder.glob("[0-9]*.m4s"), key=lambda path: int(path.stem))
    path = folder / "all.mp4"
    path.write_bytes(b"".join(part.read_bytes() for part in [folder / "init.mp4", *segments]))
    with av.open(str(path)) as container:
        return list(container.decode(audio=0))


def loudness(frames: list[AudioFrame]) -> list[bool]:
    """Whether a frame has a tone in it."""
    return [float(frame.to_ndarray().max()) > 0.1 for frame in frames]


def loud_spans(folder: Path) -> list[tuple[float, float]]:
    """Start and end of every tone, in seconds of media time."""
    spans: list[tuple[float, float]] = []
    for frame, is_loud in zip(frames := decoded_sound(folder), loudness(frames), strict=True):
        start = float(frame.time or 0)
        end = start + frame.samples / frame.sample_rate
        if is_loud and spans and abs(spans[-1][1] - start) < 0.001:
            spans[-1] = (spans[-1][0], end)
        elif is_loud:
            spans.append((start, end))
    return spans
