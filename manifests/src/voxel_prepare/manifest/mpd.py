"""Writes the manifest; docs/MANIFEST.md describes it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean

from lxml import etree

from voxel_prepare.analysis.segment_analysis import SCORE_DECIMALS, Metric, SegmentAnalysis
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.errors import InputError
from voxel_prepare.manifest.index_file import INDEX_SCHEME
from voxel_prepare.manifest.mpd_elements import (
    CHANNEL_CONFIGURATION,
    audio_set,
    child,
    iso_duration,
    root,
    text,
    video_set,
)
from voxel_prepare.manifest.mpd_file import AVERAGES, FORETOLD, SCORES, FactsPlace, voxel_attribute
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.repair.codec import Codec

PROFILE = "urn:mpeg:dash:profile:isoff-main:2011"

LANGUAGE = re.compile(r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*")
"""Form of an xs:language: other words in a source would make the MPD invalid."""

ONLY_INDEX = "--inline: attributes cannot say which frames go with a missing one: leave it out where frames are removed"

UNKNOWN_LANGUAGE = "und"


@dataclass(frozen=True, slots=True)
class SegmentFiles:
    """Names of files with one segment each."""

    initialization: str
    segments: Sequence[str]


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A track's file, as the MPD refers to it."""

    id: str
    name: str
    codecs: str
    """RFC 6381."""
    initialization: ByteRange
    segments: list[ByteRange]
    duration: Fraction | None = None
    """Seconds; None: as long as the presentation."""
    files: SegmentFiles | None = None
    """The same segments for playlists, where each has a file of its own."""

    def bandwidth(self, presentation_duration: Fraction) -> int:
        """Average bitrate of the segments in bit/s; `presentation_duration` in seconds."""
        duration = self.duration or presentation_duration
        return max(1, round(8 * sum(segment.size for segment in self.segments) / duration))


@dataclass(frozen=True, slots=True)
class VideoFile:
    """A video representation."""

    media: MediaFile
    width: int
    height: int
    analyses: list[SegmentAnalysis]
    index: str
    """Name of the index file."""

    @property
    def metric(self) -> Metric:
        """The metric of all scores."""
        return self.analyses[0].metric

    @property
    def average_score(self) -> float:
        """The mean score of the untouched segments."""
        return fmean(analysis.score for analysis in self.analyses)

    @property
    def is_foretold(self) -> bool:
        """Whether scores are foretold from bytes."""
        return any(analysis.is_foretold for analysis in self.analyses)

    @property
    def reliable_score(self) -> float:
        """The mean score of the segments when only their reliable bytes arrive."""
        return fmean(analysis.steps[0].score for analysis in self.analyses)


@dataclass(frozen=True, slots=True)
class AudioFile:
    """An audio track."""

    media: MediaFile
    language: str
    """ISO 639-2; `und` where it is not known."""
    sample_rate: int
    """Hz."""
    channels: int


@dataclass(frozen=True, slots=True)
class Presentation:
    """Everything that the MPD describes."""

    duration: Fraction
    """Seconds."""
    segment: SegmentDuration
    ladders: Sequence[Sequence[VideoFile]]
    """One for each set of video that players switch within, such as that of a codec, the preferred one first; each is
    ascending in bitrate."""
    audio: Sequence[AudioFile]

    @property
    def video(self) -> list[VideoFile]:
        """That of all ladders."""
        return [video for ladder in self.ladders for video in ladder]


def check_attributes(facts: FactsPlace, codecs: Iterable[Codec | type[Codec]]) -> None:
    """Raises `InputError` if attributes are to describe what they cannot."""
    if facts != "index" and not all(codec.is_replaced for codec in codecs):
        raise InputError(ONLY_INDEX)


def write_mpd(presentation: Presentation, facts: FactsPlace) -> bytes:
    """The MPD as a file's content."""
    duration = iso_duration(presentation.duration)
    mpd = root(
        type="static",
        profiles=PROFILE,
        mediaPresentationDuration=duration,
        minBufferTime=iso_duration(presentation.segment.seconds),
    )
    period = child(mpd, "Period", id="0", start="PT0S", duration=duration)
    for index, ladder in enumerate(presentation.ladders):
        _add_video(period, presentation, index, ladder, facts)
    for index, audio in enumerate(presentation.audio, start=len(presentation.ladders)):
        _add_audio(period, presentation, audio, index)
    return text(mpd)


def _add_video(
    period: etree._Element, presentation: Presentation, index: int, ladder: Sequence[VideoFile], facts: FactsPlace
) -> None:
    sizes = [(video.width, video.height) for video in ladder]
    adaptation_set = video_set(period, index, sizes, presentation.segment.rate)
    if len(presentation.ladders) > 1:
        adaptation_set.set("selectionPriority", str(len(presentation.ladders) - index))
    for video in ladder:
        representation = child(
            adaptation_set,
            "Representation",
            id=video.media.id,
            codecs=video.media.codecs,
            width=str(video.width),
            height=str(video.height),
            bandwidth=str(video.media.bandwidth(presentation.duration)),
        )
        add_average(representation, video)
        child(representation, "SupplementalProperty", schemeIdUri=INDEX_SCHEME, value=video.index)
        urls = _add_segment_list(representation, video.media, presentation.segment)
        if facts == "index and attributes":
            for url, analysis in zip(urls, video.analyses, strict=True):
                add_attributes(url, analysis)


def add_average(representation: etree._Element, video: VideoFile) -> None:
    """States the metric and the mean score of a `Representation`, and whether scores are foretold."""
    representation.set(voxel_attribute(AVERAGES[video.metric]), score_text(video.average_score))
    if video.is_foretold:
        representation.set(voxel_attribute(FORETOLD), "true")


def add_attributes(url: etree._Element, analysis: SegmentAnalysis) -> None:
    """Describes the segment in attributes of its `SegmentURL`. Raises `InputError` for what only an index can say."""
    if analysis.needs is not None:
        raise InputError(ONLY_INDEX)
    steps = (f"{score_text(step.score)}:{step.frames}:{step.bytes}" for step in analysis.steps)
    url.set(voxel_attribute("reliable"), ",".join(map(str, analysis.reliable)))
    url.set(voxel_attribute("unreliable"), ",".join(map(str, analysis.unreliable)))
    url.set(voxel_attribute(SCORES[analysis.metric]), ",".join(steps))
    url.set(voxel_attribute("reliableSize"), str(analysis.reliable_bytes))


def _add_audio(period: etree._Element, presentation: Presentation, audio: AudioFile, index: int) -> None:
    language = audio.language if LANGUAGE.fullmatch(audio.language) else UNKNOWN_LANGUAGE
    adaptation_set = audio_set(period, index, language)
    representation = child(
        adaptation_set,
        "Representation",
        id=audio.media.id,
        codecs=audio.media.codecs,
        audioSamplingRate=str(audio.sample_rate),
        bandwidth=str(audio.media.bandwidth(presentation.duration)),
    )
    child(representation, "AudioChannelConfiguration", schemeIdUri=CHANNEL_CONFIGURATION, value=str(audio.channels))
    _add_segment_list(representation, audio.media, presentation.segment)


def _add_segment_list(
    representation: etree._Element, media: MediaFile, segment: SegmentDuration
) -> list[etree._Element]:
    child(representation, "BaseURL").text = media.name
    segment_list = child(
        representation,
        "SegmentList",
        timescale=str(segment.rate.numerator),
        duration=str(segment.frames * segment.rate.denominator),
    )
    child(segment_list, "Initialization", range=str(media.initialization))
    return [child(segment_list, "SegmentURL", mediaRange=str(range_)) for range_ in media.segments]


def score_text(score: float) -> str:
    """The form in which manifests state scores."""
    return f"{score:.{SCORE_DECIMALS}f}"
