"""What voxel-prepare says of representations that it has analysed."""

from dataclasses import replace

import pytest
from analyses import make_analysis
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.codecs import CODECS
from voxel_prepare.jobs.warning_lines import ENCODE_WITH, warning_lines
from voxel_prepare.manifest.mpd import MediaFile, VideoFile
from voxel_prepare.repair.codec import Codec

FRAMES = [[], [(0, 10_000)], [(0, 5_000)], [(0, 50)], [(0, 60)]]
"""The first must arrive."""


def video(id_: str, needs: list[list[int]]) -> VideoFile:
    media = MediaFile(id_, f"{id_}.mp4", "", ByteRange(0, 10), [ByteRange(10, 20_000)])
    return VideoFile(media, 320, 180, [make_analysis(FRAMES, [0, 1, 2, 3], needs=needs)], f"{id_}.index")


@pytest.mark.parametrize("codec", CODECS)
def test_an_encode_that_leaves_nothing_to_drop_is_named_once_for_its_codec(codec: type[Codec]) -> None:
    needed = [[], [0], [1], [1]]  # none needs the last two, of 110 bytes together
    free = [[], [], [0], [0]]
    some = [video("q00", needed), video("q01", needed), video("q02", free)]
    (line,) = warning_lines(some, [codec(b"")] * 3)
    expected = f"q00, q01: less than 1% of the bytes are in frames that no other needs: {ENCODE_WITH[codec.name]}"
    assert line == expected


def test_what_stays_completely_reliable_is_counted_with_its_reason() -> None:
    one = video("q00", [[], [], [], []])
    some = replace(one, analyses=[one.analyses[0], replace(one.analyses[0], warning="film grain")])
    assert list(warning_lines([some], [CODECS[0](b"")])) == [
        "q00: 1 segments cannot be repaired and stay completely reliable: film grain"
    ]
