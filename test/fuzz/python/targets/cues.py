"""Cues of SCTE 35, as an input's data stream has them."""

from voxel_prepare.live.copied.cues import read_cue


def fuzz(data: bytes) -> None:
    cue = read_cue(data)
    if cue is None:
        return
    assert data.startswith(cue.section)
    assert cue.time is None or 0 <= cue.time < 1 << 33
    assert cue.duration is None or 0 <= cue.duration < 1 << 40
    assert cue.splice in {"OUT", "IN", "CMD", None}
    assert read_cue(cue.section) == cue
