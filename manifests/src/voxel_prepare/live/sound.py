"""The audio representation of a running encoder: AAC in chunks, all of it reliable."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from av.audio.codeccontext import AudioCodecContext
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.codec.context import Flags
from av.packet import Packet
from numpy.typing import NDArray

from voxel_prepare.isobmff.writer import audio_init
from voxel_prepare.live.chunker import Chunk, Chunker, audio_segments
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.publish import make_audio_chunk
from voxel_prepare.live.timeline import Grid, Timeline

SAMPLE_RATE = 48_000
CHANNELS = 2
BITRATE = 128_000
CODECS = "mp4a.40.2"
FRAME_SAMPLES = 1024
FRAME_SECONDS = Fraction(FRAME_SAMPLES, SAMPLE_RATE)
SLACK_SAMPLES = SAMPLE_RATE // 20
"""Sound may be this early or late for a while and is just appended: time stamps are rounded, and jitter."""


def open_folder(folder: TrackFolder) -> None:
    """Writes the initialization segment."""
    folder.write_init(audio_init(bytes(_encoder().extradata or b""), CHANNELS, SAMPLE_RATE))


def _encoder() -> AudioCodecContext:
    encoder = AudioCodecContext.create("aac", "w")
    encoder.sample_rate, encoder.layout, encoder.format = SAMPLE_RATE, "stereo", "fltp"
    encoder.bit_rate = BITRATE
    encoder.flags |= Flags.global_header
    encoder.open()
    return encoder


class SoundWriter:
    """Encodes sound from some AAC frame on, silence where there is none, and writes it."""

    def __init__(
        self,
        folder: TrackFolder,
        timeline: Timeline,
        chunk_seconds: Fraction,
        first: int,
        position: int,
        on_record: Callable[[int], None],
    ) -> None:
        """`first`: the number of the first AAC frame since media time 0; `position`: since its segment's start."""
        self._folder, self._timeline, self._on_record = folder, timeline, on_record
        self._encoder = _encoder()
        self._resampler: AudioResampler | None = None
        self._kind: tuple[str, str, int] | None = None
        self._grid = Grid(Fraction(SAMPLE_RATE), first * FRAME_SAMPLES, SLACK_SAMPLES)
        segments = audio_segments(FRAME_SECONDS, timeline.segment_seconds)
        self._chunker: Chunker[bytes] = Chunker(segments, max(1, round(chunk_seconds / FRAME_SECONDS)), first, position)
        self._encoded = 0
        self._waiting: NDArray[np.float32] = np.zeros((CHANNELS, 0), np.float32)

    def add(self, frame: AudioFrame, seconds: float) -> None:
        """Sound that starts at a media time."""
        frame.pts = None  # the grid says when it plays
        for piece in self._resampled(frame):
            samples = piece.to_ndarray().astype(np.float32)
            placed = self._grid.place(seconds, samples.shape[1])
            self._encode(np.zeros((CHANNELS, placed.filled), np.float32))
            self._encode(samples[:, placed.skipped :])
            seconds += samples.shape[1] / SAMPLE_RATE

    def _resampled(self, frame: AudioFrame) -> list[AudioFrame]:
        """The sound at our rate, in stereo; a resampler takes one kind of sound only."""
        kind = frame.format.name, frame.layout.name, frame.sample_rate
        if self._resampler is None or kind != self._kind:
            self._kind, self._resampler = kind, AudioResampler(format="fltp", layout="stereo", rate=SAMPLE_RATE)
        return self._resampler.resample(frame)

    def fill(self, seconds: float) -> None:
        """It has been silent before a media time."""
        self._encode(np.zeros((CHANNELS, self._grid.fill(seconds)), np.float32))

    def finish(self, seconds: float) -> None:
        """Ends the segment. Silence up to a media time, where the last picture ends: its segment needs sound."""
        self.fill(seconds)
        self._encode(np.zeros((CHANNELS, -self._waiting.shape[1] % FRAME_SAMPLES), np.float32))
        self._write(self._encoder.encode(None))
        self._add(self._chunker.flush())
        self._folder.close()

    def _encode(self, samples: NDArray[np.float32]) -> None:
        self._waiting = np.concatenate([self._waiting, samples], 1)
        while self._waiting.shape[1] >= FRAME_SAMPLES:
            piece = np.ascontiguousarray(self._waiting[:, :FRAME_SAMPLES])
            self._waiting = self._waiting[:, FRAME_SAMPLES:]
            frame = AudioFrame.from_ndarray(piece, format="fltp", layout="stereo")
            frame.sample_rate, frame.pts = SAMPLE_RATE, self._encoded * FRAME_SAMPLES
            frame.time_base = Fraction(1, SAMPLE_RATE)
            self._encoded += 1
            self._write(self._encoder.encode(frame))

    def _write(self, packets: "Iterable[Packet[Any]]") -> None:
        for packet in packets:
            if packet.pts is not None and packet.pts >= 0:  # before it comes the encoder's own start
                self._add(self._chunker.add(bytes(packet)))

    def _add(self, chunk: Chunk[bytes] | None) -> None:
        if chunk is None:
            return
        start = self._folder.begin(self._timeline.number(chunk.segment))
        captured = self._timeline.availability_start + round(1000 * chunk.first * FRAME_SECONDS)
        made = make_audio_chunk(chunk, FRAME_SAMPLES, start, captured)
        self._folder.append(made.data, made.record)
        self._on_record(captured)
        if chunk.is_last:
            self._folder.finish()
