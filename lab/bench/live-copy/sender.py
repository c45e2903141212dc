"""An encoder for `npm run bench -- live-copy`: MPEG-TS of H.264 and AAC with a white flash and a tone at the same
moment, every ten seconds, by clocks that are not ours.
"""

import argparse
import time
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.packet import Packet
from av.video.frame import VideoFrame

RATE = 25
PERIOD = 10
"""Seconds from flash to flash, and of the pictures that are coded once and sent again and again."""
FLASH_FRAME, FLASH_FRAMES = 109, 5
SAMPLE_RATE = 48_000
FRAME_SAMPLES = 1024
TONE_HZ, TONE_LEVEL = 1000, 0.5
TICKS = 90_000
FIRST = TICKS
"""The first stamp: nothing is decoded before 0."""
MILLION = 1_000_000


class Picture(NamedTuple):
    """A coded picture; times in pictures since the beginning of a period."""

    data: bytes
    shown: int
    decoded: int
    is_key: bool


class Clock(NamedTuple):
    """What the encoder stamps by."""

    rate: Fraction
    """Its seconds to one."""
    start: int
    """The first stamp, in ticks."""
    jump_at: float
    """Seconds after which it jumps."""
    jump: int
    """So many ticks."""

    def stamps(self, *moments: Fraction) -> list[int]:
        """The stamps of moments of one packet, in ticks."""
        jumped = self.jump if moments[-1] >= self.jump_at else 0
        return [self.start + round(moment * self.rate * TICKS) + jumped for moment in moments]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("pipe", type=Path)
    parser.add_argument("--size", required=True)
    parser.add_argument("--bitrate", type=int, required=True)
    parser.add_argument("--sound", action="store_true")
    parser.add_argument("--clock-ppm", type=Fraction, required=True)
    parser.add_argument("--sound-ppm", type=Fraction, required=True)
    parser.add_argument("--start", type=int, default=FIRST)
    parser.add_argument("--jump-at", type=float, default=float("inf"))
    parser.add_argument("--jump", type=int, default=0)
    parser.add_argument("--until", type=float, default=float("inf"))
    parser.add_argument("--real-time", action="store_true")
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    clock = Clock(1 + options.clock_ppm / MILLION, options.start, options.jump_at, options.jump)
    pictures = coded_period(width, height, options.bitrate)
    with av.open(str(options.pipe), "w", format="mpegts", options={"flush_packets": "1"}) as container:
        video = container.add_mux_stream("h264", rate=RATE, width=width, height=height)
        sound = coded_sound(container, 1 + options.sound_ppm / MILLION) if options.sound else iter(())
        heard = next(sound, None)
        began = time.monotonic()
        for place in count():
            picture = pictures[place % len(pictures)]
            shown, decoded = (
                Fraction(PERIOD * (place // len(pictures))) + Fraction(one, RATE)
                for one in (picture.shown, picture.decoded)
            )
            if decoded >= options.until:
                return
            while heard is not None and heard[1] <= decoded:
                packet, moment = heard
                _send(container, packet, *clock.stamps(moment, moment))
                heard = next(sound, None)
            if options.real_time:
                time.sleep(max(0.0, began + float(decoded) - time.monotonic()))
            packet = Packet(picture.data)
            packet.stream, packet.is_keyframe = video, picture.is_key
            _send(container, packet, *clock.stamps(shown, decoded))


def coded_period(width: int, height: int, bitrate: int) -> list[Picture]:
    """The pictures of a period in decode order: noise, so that they have something to say, or white."""
    encoder: Any = av.CodecContext.create("libx264", "w")
    encoder.width, encoder.height, encoder.pix_fmt, encoder.bit_rate = width, height, "yuv420p", bitrate
    encoder.framerate, encoder.time_base = RATE, Fraction(1, RATE)
    coded = f"keyint={RATE}:min-keyint={RATE}:scenecut=0:open-gop=0:bframes=3:b-adapt=0:repeat-headers=1:threads=1"
    encoder.options = {"preset": "veryfast", "x264-params": coded}
    random = np.random.default_rng(1)
    packets = []
    for place in range(PERIOD * RATE):
        is_white = FLASH_FRAME <= place < FLASH_FRAME + FLASH_FRAMES
        gray = (
            np.full((height, width), 255, np.uint8) if is_white else random.integers(0, 64, (height, width), np.uint8)
        )
        frame = VideoFrame.from_ndarray(gray, format="gray").reformat(format="yuv420p")
        frame.pts, frame.time_base = place, Fraction(1, RATE)
        packets += encoder.encode(frame)
    packets += encoder.encode(None)
    return [Picture(bytes(packet), packet.pts, packet.dts, packet.is_keyframe) for packet in packets]


def coded_sound(container: Any, rate: Fraction) -> Iterator[tuple[Packet, Fraction]]:
    """Frames with the seconds from which on they are heard. `rate`: seconds of the sound card to one."""
    stream = container.add_stream("aac", rate=SAMPLE_RATE, layout="mono")
    stream.bit_rate = 96_000
    hertz = SAMPLE_RATE * rate
    for place in count(0, FRAME_SAMPLES):
        frame = AudioFrame.from_ndarray(tone(place, hertz)[np.newaxis], format="fltp", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = SAMPLE_RATE, place, Fraction(1, SAMPLE_RATE)
        for packet in stream.encode(frame):
            if packet.pts >= 0:
                yield packet, packet.pts / hertz


def tone(place: int, hertz: Fraction) -> "np.ndarray[Any, np.dtype[np.float32]]":
    """A frame's samples from the one at `place` on, of so many to a second."""
    first = int(place / hertz // PERIOD)
    samples = np.zeros(FRAME_SAMPLES, np.float32)
    for period in (first, first + 1):
        begin = round((period * PERIOD + Fraction(FLASH_FRAME, RATE)) * hertz) - place
        end = begin + SAMPLE_RATE * FLASH_FRAMES // RATE
        low, high = max(0, begin), min(FRAME_SAMPLES, end)
        if low < high:
            at = np.arange(low - begin, high - begin)
            samples[low:high] = TONE_LEVEL * np.sin(2 * np.pi * TONE_HZ / SAMPLE_RATE * at)
    return samples


def _send(container: Any, packet: Packet, shown: int, decoded: int) -> None:
    packet.time_base = Fraction(1, TICKS)
    packet.pts, packet.dts = shown, decoded
    container.mux_one(packet)


if __name__ == "__main__":
    with suppress(BrokenPipeError):  # nobody copies it any more
        main()
