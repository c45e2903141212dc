"""Decodes what a container has, in the order of its times: pictures of one shape, and sound, with the times at which
they are shown and heard.
"""

from collections.abc import Iterator
from fractions import Fraction
from time import monotonic
from typing import Any

from av.audio.frame import AudioFrame
from av.container import InputContainer
from av.error import ArgumentError, FFmpegError, InvalidDataError, PatchWelcomeError
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from voxel_prepare.jobs.progress import say
from voxel_prepare.live.fit import Fit
from voxel_prepare.live.input_clock import PictureTimes, SoundTimes
from voxel_prepare.live.inputs import pictures_of
from voxel_prepare.live.interleave import Interleaver

TIME_BASE = Fraction(1, 90_000)
"""Seconds: unit of the times of what is decoded."""

UNTIMED = {"avi", "h264", "hevc", "m4v", "mpegvideo", "obu"}
"""Containers that do not say when pictures are shown."""

DAMAGED = (InvalidDataError, ArgumentError, PatchWelcomeError)
"""What decoders say of packets that are damaged, or not of their codec."""

SAID_DAMAGED = 100
"""So many packets of pictures in a row that cannot be decoded are said."""


class Decoder:
    """Decodes one container."""

    def __init__(self, container: InputContainer, fit: Fit, frame_seconds: float) -> None:
        self._container = container
        self._pictures = pictures_of(container)
        self._fit = fit
        self._times = PictureTimes(frame_seconds, are_stated=not UNTIMED & set(container.format.name.split(",")))
        self._sounds = SoundTimes()
        self._stated_aspect = self._pictures.sample_aspect_ratio
        self._first_aspect = self._pictures.codec_context.sample_aspect_ratio
        self._damaged = 0

    def frames(self) -> "Iterator[VideoFrame | AudioFrame]":
        """To the end. Raises `FFmpegError` and `OSError`."""
        for packet in self._packets():
            frames = self._decoded(packet)
            if packet.stream is not self._pictures:
                for frame in frames:
                    if frame.time is None:
                        continue
                    _set_time(frame, self._sounds.of(frame.time, frame.samples, frame.sample_rate))
                    yield frame
                continue
            if not frames:
                self._times.wait()
            for frame in frames:
                seconds = self._times.of(frame.time, _seconds(packet.dts, packet))
                _set_time(frame, seconds)
                yield from self._fit.fitted(frame, self._aspect())
            if _is_end(packet):
                yield from self._fit.rest()

    def _aspect(self) -> Fraction:
        """That of a sample: as the container states it, or else the codec, which may change it on the way."""
        coded = self._pictures.codec_context.sample_aspect_ratio
        return (coded if self._stated_aspect == self._first_aspect else self._stated_aspect) or Fraction(1)

    def _packets(self) -> "Iterator[Packet[Any]]":
        """The packets of pictures and sound."""
        streams = [self._pictures, *self._container.streams.audio[:1]]
        tracks: Interleaver[Packet[Any]] = Interleaver(len(streams))
        began = monotonic()
        try:
            for packet in self._container.demux(streams):
                if _is_end(packet):
                    yield from tracks.rest()
                    yield packet
                    continue
                decoded = _seconds(packet.pts if packet.dts is None else packet.dts, packet)
                yield from tracks.add(int(packet.stream is not self._pictures), decoded, packet)
                yield from tracks.ready(monotonic() - began)
        except (FFmpegError, OSError):
            yield from tracks.rest()
            raise

    def _decoded(self, packet: "Packet[Any]") -> list[Any]:
        """The frames of a packet; none of a damaged one, as networks deliver them."""
        try:
            frames = list(packet.decode())
        except DAMAGED as error:
            self._damaged += isinstance(packet.stream, VideoStream)
            if self._damaged == SAID_DAMAGED:
                say(f"warning: the pictures cannot be decoded ({error.strerror}): the last one is repeated")
            return []
        if frames and isinstance(packet.stream, VideoStream):
            self._damaged = 0
        return frames


def _set_time(frame: VideoFrame | AudioFrame, seconds: float) -> None:
    frame.pts, frame.time_base = round(seconds / TIME_BASE), TIME_BASE


def _is_end(packet: "Packet[Any]") -> bool:
    """Whether it is the empty packet after the last one of a track."""
    return packet.size == 0 and packet.dts is None


def _seconds(ticks: int | None, packet: "Packet[Any]") -> float | None:
    return None if ticks is None or packet.time_base is None else float(ticks * packet.time_base)
