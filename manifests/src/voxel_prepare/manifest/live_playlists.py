"""HLS playlists of a presentation that grows, with partial segments (draft-pantos-hls-rfc8216bis): docs/MANIFEST.md
describes them. From any web server they play as ordinary ones: what players with low latency need, who rely on a server
that holds requests, is in comments.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import ceil, lcm

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.manifest.date_ranges import date_ranges
from voxel_prepare.manifest.hls_playlists import AUDIO_GROUP, text_of
from voxel_prepare.manifest.live_mpd import (
    LIVE_SCHEME,
    RECORDS_SUFFIX,
    LiveAudio,
    LiveEvent,
    LivePresentation,
    LiveVideo,
    date_time,
)
from voxel_prepare.manifest.mpd import UNKNOWN_LANGUAGE

LIVE_PLAYLIST = "media.m3u8"
"""Name of a representation's media playlist in its folder, while it grows and when it has ended."""
WHOLE_PLAYLIST = "whole.m3u8"
"""The same of all that is left of an ended presentation."""

VERSION = 9
"""Protocol version: that of EXT-X-SKIP, which servers put into delta updates."""

PAST = "#VOXEL-PAST:"
"""A comment for servers: they write the segments before the first one in its place."""

MOST_PAST = 100_000
"""Segments that it may stand for."""

BLOCKING = "#VOXEL-BLOCKING:"
"""A comment for servers that hold requests: they write `#` and what follows in its place."""

SKIP_TARGETS = 6
"""Target durations before the end of a playlist that delta updates have in full."""

PARTS_TARGETS = 3
"""Target durations before the end of a playlist within which parts are listed."""

LEAST_PARTS_BEHIND = 3
"""Part target durations behind the end of a playlist at which players should play at least."""

PEAK = Fraction(3, 2)
"""Most bits of a second in relation to the mean: half a second more than the rate fits the encoders' buffers."""

LINES = 1 << 13
"""Dates of segments that are kept as they are written: all are written again with each part."""

CHUNK_OVERHEAD_BYTES = 320
"""Boxes around the frames of a chunk: `prft`, `moof` and the head of `mdat`."""


@dataclass(frozen=True, slots=True)
class Part:
    """A partial segment: a chunk."""

    seconds: Fraction
    range: ByteRange
    is_independent: bool
    """Whether it begins with a key frame."""


@dataclass(frozen=True, slots=True)
class PartedSegment:
    """A segment as far as it is there."""

    number: int
    start: Fraction
    """Media time, in seconds."""
    parts: tuple[Part, ...]
    is_finished: bool
    seconds: Fraction = field(init=False)
    """Those of its parts."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "seconds", sum((part.seconds for part in self.parts), Fraction(0)))


@dataclass(frozen=True, slots=True)
class Pace:
    """What all media playlists of a presentation say of time."""

    target: int
    """Target duration of segments, in seconds."""
    part_hold_back: Fraction
    """Seconds before the end of a playlist at which players that read parts should play."""
    availability_start: int
    """Capture of media time 0, in ms since 1970 (UTC)."""
    discontinuity: int = 0
    """Discontinuity sequence: another one where another presentation was in the folder before."""


@dataclass(frozen=True, slots=True)
class Past:
    """The segments before those that a playlist lists: of equal durations, but that each begins with a whole unit."""

    first: int
    """The number of the first one."""
    zero: int
    """The number of that which begins at media time 0."""
    segment: Fraction
    """Seconds."""
    unit: Fraction
    """Seconds of a picture, or of a frame of sound."""


@dataclass(frozen=True, slots=True)
class Report:
    """How far another representation is."""

    id: str
    number: int
    part: int


def target_duration(seconds: Fraction) -> int:
    """The target duration of segments that last so long."""
    return max(1, round_half_up(seconds))


def round_half_up(seconds: Fraction) -> int:
    """The nearest whole number, as EXTINF is compared with the target duration."""
    return int(seconds + Fraction(1, 2))


def part_hold_back(latency: float, delay: Fraction, part_targets: Sequence[Fraction]) -> Fraction:
    """Where players that read parts should play. `latency`: from capture, in seconds; `delay`: of it, what has passed
    before a byte of a part's first picture is there.
    """
    least = LEAST_PARTS_BEHIND * max(part_targets)
    return max(Fraction(ceil(1000 * least), 1000), Fraction(latency).limit_denominator(1000) - delay)


def live_playlist(
    segments: Sequence[PartedSegment],
    pace: Pace,
    part_target: Fraction,
    reports: Sequence[Report],
    past: Past | None = None,
) -> bytes:
    """The media playlist of a growing representation that has a part."""
    end = segments[-1].start + segments[-1].seconds
    control = f"CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL={float(SKIP_TARGETS * pace.target):.1f}"
    lines = [
        *_head(segments, pace),
        f"{BLOCKING}EXT-X-PART-INF:PART-TARGET={_seconds(part_target)}",
        f"{BLOCKING}EXT-X-SERVER-CONTROL:{control},PART-HOLD-BACK={float(pace.part_hold_back):.3f}",
        *_first(segments[0], pace),
        *_past(past, segments[0].number, pace),
    ]
    for segment in segments:
        lines.append(f"{'#' if segment.is_finished else BLOCKING}{_date(segment, pace)}")
        if segment.start + segment.seconds > end - PARTS_TARGETS * pace.target or not segment.is_finished:
            lines += [_part(part, segment.number) for part in segment.parts]
        if segment.is_finished:
            lines += _segment(segment)
    lines.append(f"{BLOCKING}EXT-X-PRELOAD-HINT:TYPE=PART,{_next(segments[-1])}")
    for report in reports:
        address = f'URI="../{report.id}/{LIVE_PLAYLIST}"'
        lines.append(f"{BLOCKING}EXT-X-RENDITION-REPORT:{address},LAST-MSN={report.number},LAST-PART={report.part}")
    return text_of(lines)


def plain_playlist(segments: Sequence[PartedSegment], pace: Pace, events: Sequence[LiveEvent]) -> bytes:
    """The media playlist of a growing representation whose parts are not listed; `segments`: finished ones."""
    return text_of(_plain(segments, pace, events))


def ended_playlist(segments: Sequence[PartedSegment], pace: Pace, events: Sequence[LiveEvent] = ()) -> bytes:
    """The media playlist of finished segments, after which nothing comes."""
    return text_of([*_plain(segments, pace, events), "#EXT-X-ENDLIST"])


def _plain(segments: Sequence[PartedSegment], pace: Pace, events: Sequence[LiveEvent]) -> list[str]:
    lines = [*_head(segments, pace), *_first(segments[0], pace)]
    lines += date_ranges(events, pace.availability_start, segments[0].start)
    for segment in segments:
        lines += [f"#{_date(segment, pace)}", *_segment(segment)]
    return lines


def live_multivariant(
    presentation: LivePresentation, chunk_seconds: Fraction, playlist: str, *, has_parts: bool = False
) -> bytes:
    """The playlist to start from; `playlist`: the name of media playlists in their folders.

    Where these have parts it says that segments have records beside them, of their chunks.
    """
    lines = ["#EXTM3U", f"#EXT-X-VERSION:{VERSION}", "#EXT-X-INDEPENDENT-SEGMENTS"]
    if has_parts:
        lines.append(f'#EXT-X-SESSION-DATA:DATA-ID="{LIVE_SCHEME}",VALUE="{RECORDS_SUFFIX}"')
    for place, audio in enumerate(presentation.audio):
        is_known = audio.language != UNKNOWN_LANGUAGE
        lines.append(
            f'#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="{AUDIO_GROUP}",NAME="{audio.track.id}",'
            + (f'LANGUAGE="{audio.language}",' if is_known else "")
            + f"DEFAULT={'NO' if place else 'YES'},AUTOSELECT=YES,"
            f'CHANNELS="{audio.channels}",URI="{audio.track.id}/{playlist}"'
        )
    for video in presentation.video:
        lines += _variant(video, presentation.audio, presentation.rate, chunk_seconds)
        lines.append(f"{video.track.id}/{playlist}")
    return text_of(lines)


def _variant(video: LiveVideo, audio: Sequence[LiveAudio], rate: Fraction, chunk_seconds: Fraction) -> list[str]:
    loudest = max((one.track for one in audio), key=lambda track: track.bandwidth, default=None)
    tracks = [video.track, *([loudest] if loudest else [])]
    boxes = round(len(tracks) * 8 * CHUNK_OVERHEAD_BYTES / chunk_seconds)
    bandwidth = sum(track.bandwidth for track in tracks)
    attributes = {
        "BANDWIDTH": round(PEAK * bandwidth) + boxes,
        "AVERAGE-BANDWIDTH": bandwidth + boxes,
        "CODECS": f'"{",".join(dict.fromkeys([video.track.codecs, *(one.track.codecs for one in audio)]))}"',
        "RESOLUTION": f"{video.width}x{video.height}",
        "FRAME-RATE": f"{float(rate):.3f}",
        "STABLE-VARIANT-ID": f'"{video.track.id}"',
        **({"AUDIO": f'"{AUDIO_GROUP}"'} if audio else {}),
    }
    return ["#EXT-X-STREAM-INF:" + ",".join(f"{key}={value}" for key, value in attributes.items())]


def _head(segments: Sequence[PartedSegment], pace: Pace) -> list[str]:
    longest = max((round_half_up(segment.seconds) for segment in segments), default=0)
    return [
        "#EXTM3U",
        f"#EXT-X-VERSION:{VERSION}",
        "#EXT-X-INDEPENDENT-SEGMENTS",
        f"#EXT-X-TARGETDURATION:{max(pace.target, longest)}",
    ]


def _first(segment: PartedSegment, pace: Pace) -> list[str]:
    discontinuity = f"#EXT-X-DISCONTINUITY-SEQUENCE:{pace.discontinuity}"
    return [
        f"#EXT-X-MEDIA-SEQUENCE:{segment.number}",
        *([discontinuity] if pace.discontinuity else []),
        '#EXT-X-MAP:URI="init.mp4"',
    ]


def _past(past: Past | None, end: int, pace: Pace) -> list[str]:
    if past is None or past.first >= end:
        return []
    timescale = lcm(past.segment.denominator, past.unit.denominator)
    attributes = {
        "FIRST": max(past.first, end - MOST_PAST),
        "ZERO": past.zero,
        "TIMESCALE": timescale,
        "SEGMENT": int(past.segment * timescale),
        "UNIT": int(past.unit * timescale),
        "DATE": pace.availability_start,
    }
    return [PAST + ",".join(f"{name}={value}" for name, value in attributes.items())]


def _date(segment: PartedSegment, pace: Pace) -> str:
    return _date_line(pace.availability_start, segment.start)


@lru_cache(LINES)
def _date_line(availability_start: int, start: Fraction) -> str:
    return f"EXT-X-PROGRAM-DATE-TIME:{date_time(availability_start + round(1000 * start))}"


def _segment(segment: PartedSegment) -> list[str]:
    return [f"#EXTINF:{_seconds(segment.seconds)},", _name(segment.number)]


def _part(part: Part, number: int) -> str:
    independent = ",INDEPENDENT=YES" if part.is_independent else ""
    range_ = f"{part.range.size}@{part.range.start}"
    address = f'URI="{_name(number)}",BYTERANGE="{range_}"'
    return f"{BLOCKING}EXT-X-PART:DURATION={_seconds(part.seconds)},{address}{independent}"


def _next(last: PartedSegment) -> str:
    """Where the part after a segment's last one begins."""
    if last.is_finished:
        return f'URI="{_name(last.number + 1)}",BYTERANGE-START=0'
    return f'URI="{_name(last.number)}",BYTERANGE-START={last.parts[-1].range.end}'


def _name(number: int) -> str:
    return f"{number}.m4s"


def _seconds(duration: Fraction) -> str:
    return f"{float(duration):.6f}"
