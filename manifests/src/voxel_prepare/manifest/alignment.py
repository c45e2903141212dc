"""Whether the representations of a ladder have the same frames in each segment."""

from collections.abc import Sequence

from voxel_prepare.errors import StaysPlain

DIFFERING_SHARE = 0.5
"""More segments than that with other frames are another frame rate or other cuts; fewer are what encoders that died, or
that were ended one after the other, have left.
"""


def check_alignment(representations: Sequence[tuple[str, Sequence[int]]]) -> None:
    """Raises `StaysPlain` unless nearly all segments have as many frames as the top representation's, as scoring and
    switching need; a segment of one frame is a picture that stands in for what did not come.

    `representations`: names, with the number of frames of each segment; ascending in bitrate.
    """
    if not representations:
        return
    top, of_top = representations[-1]
    for name, frames in representations[:-1]:
        differ = f"representations {name} and {top} differ"
        if len(frames) != len(of_top):
            raise StaysPlain(f"{differ}: {len(frames)} and {len(of_top)} segments")
        found = [
            place for place, pair in enumerate(zip(frames, of_top, strict=True)) if pair[0] != pair[1] and min(pair) > 1
        ]
        if len(found) > DIFFERING_SHARE * len(frames):
            first = found[0]
            raise StaysPlain(f"{differ}: segment {first + 1} has {frames[first]} and {of_top[first]} frames")
