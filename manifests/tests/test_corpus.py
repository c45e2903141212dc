"""Odd files, each prepared with and without `--copy`: it is as long as its source, or refused in words."""

from fractions import Fraction
from pathlib import Path

import pytest
from clips import ffmpeg
from manifest_reader import Representation, read_manifest
from odd_files import ODD_FILES, OddFile
from processes import call
from voxel_prepare.isobmff import parse_track

ALWAYS = {"no duration.mkv", "clock wraps.ts", "pause.mp4", "two sounds.mkv", "50% off: 'Ünï' \"%03d\" #1?.mp4"}
"""The others only with `--every-odd-file`."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every = metafunc.config.getoption("--every-odd-file")
    chosen = [odd for odd in ODD_FILES if every or odd.name in ALWAYS]
    metafunc.parametrize("odd", chosen, ids=[odd.name for odd in chosen])


@pytest.mark.parametrize("media", ["encode", "copy"])
def test_what_comes_out_is_as_long_as_what_went_in(odd: OddFile, media: str, tmp_path: Path) -> None:
    (source := tmp_path / "in" / odd.name).parent.mkdir()
    odd.make(source)
    way = ("--copy",) if media == "copy" else ("--representations", "144p:0.1", "--preset", "ultrafast")
    result = call(f"{source}", "--out", f"{tmp_path / 'out'}", "--segment", "1", *way)
    message = result.stderr.splitlines()[-1]
    if result.returncode and (media == "copy" or odd.refused):
        assert result.returncode == 2, result.stderr
        assert odd.name in message
        assert media == "copy" or odd.refused in message
        return
    assert media == "copy" or not odd.refused
    assert result.returncode == 0, result.stderr
    representations = read_manifest(tmp_path / "out")
    for representation in representations:
        ffmpeg("-xerror", "-err_detect", "explode", "-i", representation.media, "-f", "null", "-")
    seconds = odd.seconds + (odd.late if media == "encode" else 0)
    assert float(_duration(representations[0])) == pytest.approx(seconds, abs=odd.frame + 0.001)


def _duration(video: Representation) -> Fraction:
    """How long its pictures are shown, in seconds."""
    track = parse_track(video.media.read_bytes())
    samples = [sample for fragment in track.fragments for sample in fragment.samples]
    return Fraction(sum(sample.duration for sample in samples), track.timescale)
