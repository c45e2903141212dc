"""A frame of AAC without a sound."""

from fractions import Fraction

import numpy as np
from av.audio.codeccontext import AudioCodecContext
from av.audio.frame import AudioFrame
from av.codec.context import Flags
from av.error import FFmpegError

from voxel_prepare.live.copied.aac import AacFormat
from voxel_prepare.live.copied.sound import FRAME_SAMPLES

LAYOUTS = {1: "mono", 2: "stereo", 6: "5.1"}
BIT_RATE = 64_000
WARM_UP = 4
"""Frames after which the encoder has no memory of its start."""


def silent_frame(format_: AacFormat) -> bytes:
    """One for streams of that format; empty where the encoder does not know it."""
    layout = LAYOUTS.get(format_.channels)
    if layout is None:
        return b""
    encoder = AudioCodecContext.create("aac", "w")
    encoder.sample_rate, encoder.layout, encoder.format = format_.rate, layout, "fltp"
    encoder.bit_rate = BIT_RATE
    encoder.flags |= Flags.global_header
    packets: list[bytes] = []
    try:
        encoder.open()
        for place in range(WARM_UP):
            frame = AudioFrame.from_ndarray(
                np.zeros((format_.channels, FRAME_SAMPLES), np.float32), format="fltp", layout=layout
            )
            frame.sample_rate, frame.pts = format_.rate, place * FRAME_SAMPLES
            frame.time_base = Fraction(1, format_.rate)
            packets += [bytes(packet) for packet in encoder.encode(frame)]
        packets += [bytes(packet) for packet in encoder.encode(None)]
    except (FFmpegError, ValueError):
        return b""
    return packets[-1] if packets else b""
