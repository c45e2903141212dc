"""Cues in `emsg` boxes before fragments (ISO/IEC 23009-1 §5.10.3.3, ANSI/SCTE 214-3 §7.3.2)."""

import struct
from collections.abc import Callable
from dataclasses import replace

from voxel_prepare.live.copied.cues import Cue, read_cue
from voxel_prepare.live.copied.packets import TICKS

SCHEME = b"urn:scte:scte35:2013:bin"
BOX_HEADER, FULL_HEADER = 8, 12
UNKNOWN = 0xFFFFFFFF
MOST_SECONDS = 86_400
"""An event that lasts longer does not say how long."""


def read_event(box: bytes, ticks: Callable[[int, int], int], earliest: int) -> Cue | None:
    """None for what is no cue. `ticks` makes ticks of a time of the track in units per second, `earliest` is the first
    one of the fragment after it, in ticks.
    """
    version = box[BOX_HEADER] if len(box) > FULL_HEADER else -1
    try:
        if version == 0:
            scheme, _, rest = box[FULL_HEADER:].split(b"\0", 2)
            scale, delta, duration, _ = struct.unpack_from(">4I", rest)
            message, time = rest[16:], earliest + (delta * TICKS // scale if scale else 0)
        elif version == 1:
            scale, at, duration, _ = struct.unpack_from(">IQII", box, FULL_HEADER)
            scheme, _, message = box[FULL_HEADER + 20 :].split(b"\0", 2)
            time = ticks(at, scale) if scale else -1
        else:
            return None
    except (ValueError, struct.error):
        return None
    cue = read_cue(message) if scheme == SCHEME and scale else None
    if cue is None:
        return None
    is_known = cue.duration is None and 0 < duration != UNKNOWN and duration <= MOST_SECONDS * scale
    return replace(cue, time=time, duration=duration * TICKS // scale if is_known else cue.duration)
