"""HLS playlists of the same media files (RFC 8216), for players that read no MPD: docs/MANIFEST.md describes them."""

from collections.abc import Mapping
from fractions import Fraction

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.manifest.index_file import INDEX_SCHEME
from voxel_prepare.manifest.mpd import (
    LANGUAGE,
    UNKNOWN_LANGUAGE,
    AudioFile,
    MediaFile,
    Presentation,
    VideoFile,
    score_text,
)
from voxel_prepare.manifest.mpd_file import AVERAGES

MULTIVARIANT = "master.m3u8"
"""Name of the multivariant playlist in an output folder."""

VERSION = 7
"""Protocol version: EXT-X-MAP in a playlist of ordinary segments asks for 6, fragmented MP4 is usual from 7 on."""

AUDIO_GROUP = "audio"


def media_playlist(media: MediaFile, presentation: Presentation) -> bytes:
    """The playlist of one file."""
    durations = _durations(media, presentation)
    initialization, segments = _addresses(media)
    lines = [
        *_head(),
        f"#EXT-X-TARGETDURATION:{max(1, *(round(duration) for duration in durations))}",
        "#EXT-X-PLAYLIST-TYPE:VOD",
        f"#EXT-X-MAP:{initialization}",
    ]
    for segment, duration in zip(segments, durations, strict=True):
        lines += [f"#EXTINF:{float(duration):.6f},", *segment]
    return text_of([*lines, "#EXT-X-ENDLIST"])


def _addresses(media: MediaFile) -> tuple[str, list[list[str]]]:
    """Attributes that say where the initialization segment is; the lines that say where each segment is."""
    if media.files:
        return f'URI="{media.files.initialization}"', [[name] for name in media.files.segments]
    initialization = f'URI="{media.name}",BYTERANGE="{_byte_range(media.initialization)}"'
    return initialization, [[f"#EXT-X-BYTERANGE:{_byte_range(range_)}", media.name] for range_ in media.segments]


def multivariant_playlist(presentation: Presentation, names: Mapping[str, str]) -> bytes:
    """The playlist to start from; `names` of the media playlists by the id of their file."""
    audio = presentation.audio
    return text_of(
        [
            *_head(),
            *(_voxel_data(video) for video in presentation.video),
            *(_rendition(one, names[one.media.id], is_default=one is audio[0]) for one in audio),
            *(line for video in presentation.video for line in _variant(video, presentation, names[video.media.id])),
        ]
    )


def _head() -> list[str]:
    return ["#EXTM3U", f"#EXT-X-VERSION:{VERSION}", "#EXT-X-INDEPENDENT-SEGMENTS"]


def _voxel_data(video: VideoFile) -> str:
    """What the MPD says of a representation; players that do not know it leave it alone."""
    value = f"{AVERAGES[video.metric]}={score_text(video.average_score)} index={video.index}"
    return f'#EXT-X-SESSION-DATA:DATA-ID="{INDEX_SCHEME}:{video.media.id}",VALUE="{value}"'


def _rendition(audio: AudioFile, name: str, *, is_default: bool) -> str:
    is_known = audio.language != UNKNOWN_LANGUAGE and LANGUAGE.fullmatch(audio.language)
    language = f'LANGUAGE="{audio.language}",' if is_known else ""
    return (
        f'#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="{AUDIO_GROUP}",NAME="{audio.media.id}",{language}'
        f'DEFAULT={"YES" if is_default else "NO"},AUTOSELECT=YES,CHANNELS="{audio.channels}",URI="{name}"'
    )


def _variant(video: VideoFile, presentation: Presentation, name: str) -> list[str]:
    audio = [one.media for one in presentation.audio]
    codecs = ",".join(dict.fromkeys([video.media.codecs, *(media.codecs for media in audio)]))
    attributes = {
        "BANDWIDTH": _peak(video.media, presentation) + max((_peak(one, presentation) for one in audio), default=0),
        "AVERAGE-BANDWIDTH": video.media.bandwidth(presentation.duration)
        + max((media.bandwidth(presentation.duration) for media in audio), default=0),
        "CODECS": f'"{codecs}"',
        "RESOLUTION": f"{video.width}x{video.height}",
        "FRAME-RATE": f"{float(presentation.segment.rate):.3f}",
        "STABLE-VARIANT-ID": f'"{video.media.id}"',
        **({"AUDIO": f'"{AUDIO_GROUP}"'} if audio else {}),
    }
    return ["#EXT-X-STREAM-INF:" + ",".join(f"{key}={value}" for key, value in attributes.items()), name]


def _durations(media: MediaFile, presentation: Presentation) -> list[Fraction]:
    """Seconds of each segment: the last one takes what is left, and an audio track may end before the video."""
    count, each = len(media.segments), presentation.segment.seconds
    return [min(each, presentation.duration - number * each) for number in range(count)]


def _peak(media: MediaFile, presentation: Presentation) -> int:
    """Bit/s of the segment that has most."""
    durations = _durations(media, presentation)
    return max(round(8 * segment.size / seconds) for segment, seconds in zip(media.segments, durations, strict=True))


def _byte_range(range_: ByteRange) -> str:
    return f"{range_.size}@{range_.start}"


def text_of(lines: list[str]) -> bytes:
    """A playlist of these lines."""
    return ("\n".join(lines) + "\n").encode()
