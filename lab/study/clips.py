"""Clips as viewers saw them, and those that a study needs besides: references, and clips whose quality is known."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import count
from pathlib import Path

import av
import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import Interpolation
from sessions import Session, Stall
from spinner import with_spinner
from study_error import StudyError
from voxel_prepare.analysis.encoded_segment import EncodedSegment

sys.path.append(str(Path(__file__).parents[1] / "trials"))
from score_delivered import PreparedVideo

ENCODER = {"preset": "veryfast", "crf": "8", "x264-params": "keyint=30"}
"""Hardly visible, and large: a study must not judge our own encoding."""
__all__ = ["EncodedSegment"]

BAD_SHARE = 12
"""A clip that must look bad has a twelfth of the width and height."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the media, in seconds."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class ClipFacts:
    """What is known of a clip without anybody looking at it."""

    seconds: float
    stalls: int
    stall_seconds: float
    score: float | None
    """Mean of the segments' scores over the media time of the span; None for clips that are no session's."""


@cache
def prepared(folder: Path) -> PreparedVideo:
    """One object for each video."""
    return PreparedVideo(folder)


def session_pictures(session: Session, span: Span) -> Iterator[tuple[float, VideoFrame]]:
    """Media times and pictures as delivered."""
    video = prepared(session.media)
    for segment in session.segments:
        if segment.start >= span.end or segment.start + segment.duration <= span.start:
            continue
        encoded = video.segment(segment.representation, segment.start, segment.duration)
        if segment.file is not None:
            encoded = replace(encoded, data=segment.file.read_bytes())
        yield from _timed(list(encoded.pictures()), segment.start, segment.duration, span)


def reference_pictures(session: Session, span: Span) -> Iterator[tuple[float, VideoFrame]]:
    """The same of the top representation, whole."""
    video = prepared(session.media)
    for segment in session.segments:
        if segment.start < span.end and segment.start + segment.duration > span.start:
            encoded = video.segment(video.top, segment.start, segment.duration)
            yield from _timed(list(encoded.pictures()), segment.start, segment.duration, span)


def _timed(
    pictures: Sequence[VideoFrame], start: float, duration: float, span: Span
) -> Iterator[tuple[float, VideoFrame]]:
    for index, picture in enumerate(pictures):
        time = start + duration * index / len(pictures)
        if span.start <= time < span.end:
            yield time, picture


def facts_of(session: Session, span: Span) -> ClipFacts:
    """Facts about the session's clip of that span."""
    stalls = stalls_in(session.stalls, span)
    waited = sum(stall.seconds for stall in stalls)
    shares = [
        (max(0.0, min(span.end, segment.start + segment.duration) - max(span.start, segment.start)), segment.score)
        for segment in session.segments
    ]
    seconds = sum(share for share, _ in shares)
    score = sum(share * score for share, score in shares) / seconds
    return ClipFacts(seconds=seconds + waited, stalls=len(stalls), stall_seconds=waited, score=score)


def stalls_in(stalls: Sequence[Stall], span: Span) -> list[Stall]:
    """Those that a viewer of the span sees."""
    return [stall for stall in stalls if span.start < stall.position < span.end]


def frame_rate(session: Session) -> Fraction:
    """Pictures per second of the top representation."""
    video = prepared(session.media)
    first = session.segments[0]
    pictures = len(video.segment(video.top, first.start, first.duration).samples())
    return Fraction(pictures / first.duration).limit_denominator(1001)


def with_stalls(
    pictures: Iterator[tuple[float, VideoFrame]], stalls: Sequence[Stall], rate: Fraction, *, spinner: bool
) -> Iterator[VideoFrame]:
    """The last picture before a stall stands for as long as playback did."""
    waiting = list(stalls)
    last: VideoFrame | None = None
    for time, picture in pictures:
        while last is not None and waiting and waiting[0].position <= time:
            held = round(waiting.pop(0).seconds * rate)
            yield from (with_spinner(last, index / float(rate)) if spinner else last for index in range(held))
        last = picture
        yield picture


def spoilt(pictures: Iterator[tuple[float, VideoFrame]]) -> Iterator[tuple[float, VideoFrame]]:
    """The same, so bad that everybody must see it."""
    for time, picture in pictures:
        width, height = picture.width // BAD_SHARE // 2 * 2, picture.height // BAD_SHARE // 2 * 2
        small = picture.reformat(width=width, height=height, interpolation=Interpolation.AREA)
        yield time, small.reformat(width=picture.width, height=picture.height, interpolation=Interpolation.POINT)


def write_clip(path: Path, pictures: Iterator[VideoFrame], rate: Fraction, size: tuple[int, int]) -> int:
    """H.264 in MP4, all pictures scaled to one size; returns their number. Raises `StudyError` if there are none."""
    with av.open(str(path), "w", options={"movflags": "+faststart"}) as container:
        stream = container.add_stream("libx264", rate=rate, options=ENCODER)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        numbers = count()
        for picture in pictures:
            scaled = picture.reformat(*size, format="yuv420p", interpolation=Interpolation.BICUBIC)
            # A copy: a picture that stands is given to the encoder more than once.
            frame = VideoFrame.from_ndarray(scaled.to_ndarray().astype(np.uint8), format="yuv420p")
            frame.pts = next(numbers)
            frame.time_base = 1 / rate
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    written = next(numbers)
    if written == 0:
        raise StudyError(f"{path}: there are no pictures in the span")
    return written
