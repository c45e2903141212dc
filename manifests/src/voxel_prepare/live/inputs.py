"""Opens the input of an encoder: a file, a pipe or what comes over the network."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from io import FileIO
from pathlib import Path

import av
from av.container import InputContainer
from av.error import FFmpegError, ProtocolNotFoundError
from av.video.stream import VideoStream

from voxel_prepare.errors import InputError
from voxel_prepare.ffmpeg import ANY_TAGS, INPUT_OPTIONS
from voxel_prepare.jobs.progress import say
from voxel_prepare.live.programs import PACKET, READ_SIZE, SYNC_PACKETS, Parts, is_transport_stream
from voxel_prepare.media.colours import HDR_TRANSFERS
from voxel_prepare.media.source import (
    DOLBY_VISION_TAGS,
    FIELD_ORDER_PROGRESSIVE,
    STANDARD_RATES,
    WHY_NOT_DOLBY_VISION,
    moving_pictures,
    output_rate,
)

STDIN = "-"
ATTEMPTS = 3
"""Attempts to find a network input's size and rate: the first may see a damaged beginning."""
OPEN_SECONDS = 20.0
READ_SECONDS = 60.0
"""How long a network input may be silent before it counts as ended."""


@dataclass(frozen=True, slots=True)
class Input:
    """An opened input."""

    name: str
    container: InputContainer
    """That of the first part."""
    parts: Parts | None
    """What a pipe, or a file that is a transport stream, is read through."""
    width: int
    height: int
    rate: Fraction
    """Frames per second to encode at."""
    has_audio: bool

    @property
    def loops(self) -> bool:
        """A file is played again and again."""
        return not self.is_network and self.name != STDIN

    @property
    def is_network(self) -> bool:
        """It sets the pace itself."""
        return "://" in self.name

    def containers(self) -> Iterator[InputContainer]:
        """Those of all parts of the input, one after the other."""
        yield self.container
        while self.parts is not None and not self.parts.has_ended:
            self.parts.begin()
            try:
                container = _open_read(self.parts)
            except (FFmpegError, OSError):
                while self.parts.read(READ_SIZE):  # it has no track that can be read
                    pass
                continue
            if container.streams.audio and not self.has_audio:
                say(f"{self.name}: sound that begins later is left out: start again to have it")
            if container.streams.video:
                yield container

    def again(self) -> "Input":
        """The input of a file from its start."""
        if self.parts is None:
            with suppress(FFmpegError):  # a raw stream cannot be sought in
                self.container.seek(0)
                return self
        container, parts = _open(self.name, is_network=False)
        return replace(self, container=container, parts=parts)


def open_input(name: str) -> Input:
    """Opens a file, `-` for standard input, or a URL. Raises `InputError`."""
    is_network = "://" in name
    for attempt in range(ATTEMPTS if is_network else 1):
        container, parts = _open(name, is_network=is_network)
        if not container.streams.video:
            raise InputError(f"{name}: expected a video track, found none")
        stream = pictures_of(container)
        context, rate = stream.codec_context, _rate(stream)
        if rate and context.width:
            break
        if attempt < ATTEMPTS - 1:
            container.close()
    else:
        raise InputError(f"{name}: expected a frame rate and a size, found none")
    if context.codec_tag in DOLBY_VISION_TAGS and context.color_trc not in HDR_TRANSFERS:
        raise InputError(f"{name}: {WHY_NOT_DOLBY_VISION}")
    aspect = stream.sample_aspect_ratio or Fraction(1)
    return Input(
        name=name,
        container=container,
        parts=parts,
        width=round(context.width * aspect),
        height=context.height,
        rate=output_rate(rate, stream.base_rate and Fraction(stream.base_rate)),
        has_audio=bool(container.streams.audio),
    )


def _rate(stream: VideoStream) -> Fraction | None:
    """Pictures per second, as FFmpeg guesses it, unless that is out of the question.

    The mean rate is lower where the first pictures are far apart, and arbitrary in AVI.
    """
    average, guessed = (rate and Fraction(rate) for rate in (stream.average_rate, stream.guessed_rate))
    # Of interlaced pictures it may be the rate of fields, of a variable rate that of its clock.
    is_wrong = stream.codec_context.field_order > FIELD_ORDER_PROGRESSIVE or (guessed or 0) > max(STANDARD_RATES)
    return (average or guessed) if is_wrong else (guessed or average)


def pictures_of(container: InputContainer) -> VideoStream:
    """The first track of pictures that is no cover, if there is one."""
    return moving_pictures(container) or container.streams.video[0]


def _open(name: str, *, is_network: bool) -> tuple[InputContainer, Parts | None]:
    if not is_network and name != STDIN and not Path(name).is_file():
        raise InputError(f"{name}: expected a file" if Path(name).exists() else f"{name}: no such file")
    try:
        if is_network:
            return av.open(name, timeout=(OPEN_SECONDS, READ_SECONDS), metadata_errors=ANY_TAGS), None
        file = FileIO(0, closefd=False) if name == STDIN else FileIO(name)
        if not file.seekable() or _is_transport_stream(file):
            parts = Parts(file)
            return _open_read(parts), parts
        if name == STDIN:
            return _open_read(file), None
        file.close()
        return av.open(str(Path(name).absolute()), options=INPUT_OPTIONS, metadata_errors=ANY_TAGS), None
    except ProtocolNotFoundError as error:
        raise InputError(
            f"{name}: PyAV lacks this protocol: let ffmpeg read it (ffmpeg -i URL -c copy -f mpegts - | voxel-live -)"
        ) from error
    except (FFmpegError, OSError) as error:
        raise InputError(f"{name}: cannot be opened: {error.strerror or error}") from error


def _is_transport_stream(file: FileIO) -> bool:
    start = file.tell()
    head = file.read(SYNC_PACKETS * PACKET)
    file.seek(start)
    return is_transport_stream(head)


def _open_read(file: Parts | FileIO) -> InputContainer:
    formats = {"format_whitelist": INPUT_OPTIONS["format_whitelist"]}
    return av.open(file, mode="r", options=formats, metadata_errors=ANY_TAGS)
