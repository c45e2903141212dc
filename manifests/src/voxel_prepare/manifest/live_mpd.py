"""Writes the manifest of a live presentation while it grows and when it has ended (docs/MANIFEST.md, "Live folder")."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Literal, TypeAlias

from lxml import etree

from voxel_prepare.manifest.index_file import INDEX_SCHEME
from voxel_prepare.manifest.mpd import UNKNOWN_LANGUAGE
from voxel_prepare.manifest.mpd_elements import (
    CHANNEL_CONFIGURATION,
    audio_set,
    child,
    iso_duration,
    root,
    text,
    video_set,
)
from voxel_prepare.manifest.mpd_file import voxel_attribute

LIVE_SCHEME = "urn:voxel-dash:live:1"
"""`SupplementalProperty@schemeIdUri`: its value is appended to the URL of a segment for that of its records."""
RECORDS_SUFFIX = ".vxl"

EVENT_SCHEME = "urn:scte:scte35:2014:xml+bin"
SIGNAL_NAMESPACE = "http://www.scte.org/schemas/35/2016"
"""The namespace of the element that has a cue as it was sent (ANSI/SCTE 214-1 §6.8.4, ANSI/SCTE 35 §12)."""
EVENT_SCALE = 90_000
ROLE_SCHEME = "urn:mpeg:dash:role:2011"
PROFILES = "urn:mpeg:dash:profile:isoff-live:2011"
CLOCK_SCHEME = "urn:mpeg:dash:utc:http-xsdate:2014"
CLOCK_URL = "/.well-known/voxel-time"
UPDATE_SECONDS = 1
"""Players ask for the manifest so often: in the end it is static, and dash.js tries a missing segment for 1.5 s."""
PLAYBACK_RATES = "0.96", "1.04"
"""Within which players may catch up: hardly audible."""


Splice: TypeAlias = Literal["OUT", "IN", "CMD"]
"""Whether a break begins with a cue, ends, or neither, as playlists name it; None of it: it is called off."""


@dataclass(frozen=True, slots=True)
class LiveTrack:
    """What representations of both kinds have."""

    id: str
    """Also its folder."""
    codecs: str
    """RFC 6381."""
    bandwidth: int
    """Bit/s."""
    timescale: int


@dataclass(frozen=True, slots=True)
class LiveVideo:
    """A video representation."""

    track: LiveTrack
    width: int
    height: int
    average_score: float | None
    """SSIM, 0 to 1; None before it has been measured."""
    index: str | None = None
    """The URL of the index, when the presentation has ended."""


@dataclass(frozen=True, slots=True)
class LiveAudio:
    """A track of sound, of one representation; its timescale is the sample rate."""

    track: LiveTrack
    channels: int
    language: str = UNKNOWN_LANGUAGE
    """An xs:language."""
    role: str | None = None
    """One of the scheme `urn:mpeg:dash:role:2011`."""


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """A cue of SCTE 35 on the timeline; times in units of 1 / `EVENT_SCALE` s."""

    id: int
    time: int
    """When it takes effect, since media time 0."""
    duration: int | None
    section: bytes
    """The splice_info_section."""
    splice: Splice | None = "CMD"
    splice_id: int | None = None
    """What both ends of a break have."""

    @property
    def end(self) -> int:
        """When it is over, as far as it says so."""
        return self.time + (self.duration or 0)


@dataclass(frozen=True, slots=True)
class LivePresentation:
    """What the manifest says in both states."""

    rate: Fraction
    """Frames per second."""
    segment_seconds: Fraction
    first_number: int
    """Number of the segment at media time 0."""
    video: Sequence[LiveVideo]
    """Ascending in bitrate."""
    audio: Sequence[LiveAudio]
    """The first is the one to begin with."""
    events: Sequence[LiveEvent] = ()


@dataclass(frozen=True, slots=True)
class Growth:
    """What only a growing presentation has; seconds."""

    availability_start: int
    """Ms since 1970 (UTC)."""
    published: int
    """Ms since 1970 (UTC)."""
    chunk_seconds: Fraction
    latency: float
    window: float


@dataclass(frozen=True, slots=True)
class Ending:
    """What is left of an ended presentation, in segments since media time 0 and seconds."""

    first_segment: int
    duration: Fraction


def write_live_mpd(presentation: LivePresentation, growth: Growth) -> bytes:
    """The manifest of a growing presentation."""
    mpd = root(
        profiles=PROFILES,
        type="dynamic",
        availabilityStartTime=date_time(growth.availability_start),
        publishTime=date_time(growth.published),
        minimumUpdatePeriod=f"PT{UPDATE_SECONDS}S",
        timeShiftBufferDepth=iso_duration(growth.window),
        maxSegmentDuration=iso_duration(presentation.segment_seconds),
        minBufferTime=iso_duration(presentation.segment_seconds),
    )
    service = child(mpd, "ServiceDescription", id="0")
    child(service, "Latency", target=str(round(1000 * growth.latency)), referenceId="0")
    child(service, "PlaybackRate", min=PLAYBACK_RATES[0], max=PLAYBACK_RATES[1])
    _add_period(mpd, presentation, growth, 0, {"start": "PT0S"})
    child(mpd, "UTCTiming", schemeIdUri=CLOCK_SCHEME, value=CLOCK_URL)
    return text(mpd)


def write_ended_mpd(presentation: LivePresentation, ending: Ending) -> bytes:
    """The manifest of what is left of an ended presentation, to be played on demand."""
    duration = iso_duration(ending.duration)
    mpd = root(
        profiles=PROFILES,
        type="static",
        mediaPresentationDuration=duration,
        minBufferTime=iso_duration(presentation.segment_seconds),
    )
    _add_period(mpd, presentation, None, ending.first_segment, {"start": "PT0S", "duration": duration})
    return text(mpd)


def date_time(milliseconds: int) -> str:
    """An xs:dateTime of ms since 1970 (UTC)."""
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC).replace(microsecond=milliseconds % 1000 * 1000)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _add_period(
    mpd: etree._Element, presentation: LivePresentation, growth: Growth | None, first: int, times: dict[str, str]
) -> None:
    period = child(mpd, "Period", id="0", **times)
    if presentation.events:
        _add_events(period, presentation, first)
    adaptation_set = video_set(period, 0, [(one.width, one.height) for one in presentation.video], presentation.rate)
    _add_clock(adaptation_set, growth, "0")
    for video in presentation.video:
        representation = _add_representation(
            adaptation_set, video.track, codecs=video.track.codecs, width=str(video.width), height=str(video.height)
        )
        if video.average_score is not None:
            representation.set(voxel_attribute("avgSSIM"), f"{video.average_score:.5f}")
        if video.index is not None:
            child(representation, "SupplementalProperty", schemeIdUri=INDEX_SCHEME, value=video.index)
        _add_segments(representation, video.track, presentation, growth, first)
    for place, audio in enumerate(presentation.audio, 1):
        _add_audio(period, place, presentation, audio, growth, first)


def _add_events(period: etree._Element, presentation: LivePresentation, first: int) -> None:
    offset = {"presentationTimeOffset": str(round(first * presentation.segment_seconds * EVENT_SCALE))} if first else {}
    stream = child(period, "EventStream", schemeIdUri=EVENT_SCHEME, timescale=str(EVENT_SCALE), **offset)
    for one in presentation.events:
        duration = {} if one.duration is None else {"duration": str(one.duration)}
        event = child(stream, "Event", presentationTime=str(one.time), id=str(one.id), **duration)
        # Without a prefix: dash.js looks for `Signal` and `Binary`.
        space = {None: SIGNAL_NAMESPACE}
        signal = etree.SubElement(event, f"{{{SIGNAL_NAMESPACE}}}Signal", nsmap=space)  # type: ignore[arg-type]
        etree.SubElement(signal, f"{{{SIGNAL_NAMESPACE}}}Binary").text = b64encode(one.section).decode()


def _add_audio(
    period: etree._Element,
    place: int,
    presentation: LivePresentation,
    audio: LiveAudio,
    growth: Growth | None,
    first: int,
) -> None:
    adaptation_set = audio_set(period, place, audio.language)
    _add_clock(adaptation_set, growth, str(place))
    if audio.role is not None:
        child(adaptation_set, "Role", schemeIdUri=ROLE_SCHEME, value=audio.role)
    rate = str(audio.track.timescale)
    representation = _add_representation(adaptation_set, audio.track, codecs=audio.track.codecs, audioSamplingRate=rate)
    child(representation, "AudioChannelConfiguration", schemeIdUri=CHANNEL_CONFIGURATION, value=str(audio.channels))
    _add_segments(representation, audio.track, presentation, growth, first)


def _add_clock(adaptation_set: etree._Element, growth: Growth | None, id_: str) -> None:
    """Says that media time 0 was captured at the availability start time."""
    if growth is None:
        return
    clock = child(
        adaptation_set,
        "ProducerReferenceTime",
        id=id_,
        type="captured",
        inband="true",
        wallClockTime=date_time(growth.availability_start),
        presentationTime="0",
    )
    child(clock, "UTCTiming", schemeIdUri=CLOCK_SCHEME, value=CLOCK_URL)


def _add_representation(parent: etree._Element, track: LiveTrack, **attributes: str) -> etree._Element:
    return child(parent, "Representation", id=track.id, bandwidth=str(track.bandwidth), **attributes)


def _add_segments(
    representation: etree._Element,
    track: LiveTrack,
    presentation: LivePresentation,
    growth: Growth | None,
    first: int,
) -> None:
    if growth is not None:
        child(representation, "SupplementalProperty", schemeIdUri=LIVE_SCHEME, value=RECORDS_SUFFIX)
    # The scale makes the duration of a segment a whole number also for sound, whose segments have whole frames.
    scale = track.timescale * presentation.segment_seconds.denominator
    attributes = {
        "timescale": str(scale),
        "duration": str(scale * presentation.segment_seconds.numerator // presentation.segment_seconds.denominator),
        "startNumber": str(presentation.first_number + first),
        "initialization": f"{track.id}/init.mp4",
        "media": f"{track.id}/$Number$.m4s",
    }
    if first:
        attributes["presentationTimeOffset"] = str(round(first * presentation.segment_seconds * scale))
    if growth is not None:
        offset = presentation.segment_seconds - growth.chunk_seconds
        attributes["availabilityTimeOffset"] = f"{float(offset):.6f}".rstrip("0").rstrip(".")
        attributes["availabilityTimeComplete"] = "false"
    child(representation, "SegmentTemplate", **attributes)
