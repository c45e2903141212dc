"""What a user should know of the representations that have been analysed."""

from collections import Counter
from collections.abc import Iterator, Sequence

from voxel_prepare.manifest.mpd import VideoFile
from voxel_prepare.repair.codec import Codec

LEAST_FREE_SHARE = 0.01
"""Share of the bytes, in frames that no other needs. libaom, rav1e and VP9 by default have at most .008 there; SVT-AV1,
x264, x265 and error-resilient VP9 .02 to .6 (manifests/tests/coded_clips.py, and films at 360p)."""

ENCODE_WITH = {
    "av1": "SVT-AV1, as --codec av1 encodes with it, leaves more to drop",
    "hevc": "x265 with bframes=15:b-adapt=0 leaves more to drop",
    "h264": "x264 with bframes=15:b-adapt=0 leaves more to drop",
    "vp9": "libvpx with two passes and -error-resilient 1 leaves more to drop",
}
"""What to do instead, by the name of the codec."""


def warning_lines(video: Sequence[VideoFile], codecs: Sequence[Codec]) -> Iterator[str]:
    """A line for each thing; `codecs` are those of the files."""
    for file in video:
        for reason, count in Counter(analysis.warning for analysis in file.analyses).items():
            if reason is not None:
                refused = f"{count} segments cannot be repaired and stay completely reliable"
                yield f"{file.media.id}: {refused}: {reason}"
    for name in dict.fromkeys(codec.name for codec in codecs):
        files = [file for file, codec in zip(video, codecs, strict=True) if codec.name == name]
        little = [file.media.id for file in files if _is_little_free(file)]
        if little:
            share = f"{LEAST_FREE_SHARE:.0%} of the bytes"
            yield f"{', '.join(little)}: less than {share} are in frames that no other needs: {ENCODE_WITH[name]}"
    foretold = [file.media.id for file in video if file.is_foretold]
    if foretold:
        yield f"{', '.join(foretold)}: no key: scores are foretold from bytes, not measured (--key KID:KEY measures)"


def _is_little_free(file: VideoFile) -> bool:
    """Whether frames are removed of it, and others need nearly all of them."""
    free = [analysis.free_bytes for analysis in file.analyses if analysis.free_bytes is not None]
    return bool(free) and sum(free) < LEAST_FREE_SHARE * sum(analysis.range.size for analysis in file.analyses)
