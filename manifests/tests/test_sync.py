"""Sound stays with its pictures, whatever container the source is in and whichever of its tracks begins first."""

import re
from pathlib import Path

import av
import numpy as np
import pytest
from clips import RATE, make_clip
from flash_and_tone import CODECS, SECONDS, STARTS, make_flash_and_tone, moments, prepared_moments
from manifest_reader import read_manifest
from runs import make_request
from unhurried import encode_unhurried, joined
from voxel_prepare.errors import InputError, PreparationError
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.media.ladder import parse_representations

TOLERANCE = 0.01
"""A tenth of what viewers notice (ITU-R BT.1359)."""

REFUSALS = "|".join(
    (
        r"takes (H\.264, HEVC, VP9 or AV1 video|AAC audio) only",
        r"its sound begins 0\.\d+ s after its pictures",
        r"an edit list hides the first 0\.\d+ s of its pictures",
        "the frame rate must be constant",
    )
)
"""What `--copy` says where sound and pictures cannot be put together without encoding."""

ALWAYS = {
    *(("mp4", "picture first"), ("mov", "trimmed"), ("fragmented.mp4", "none"), ("mkv", "sound first")),
    *(
        ("ts", "picture first"),
        ("ts", "sound first"),
        ("flv", "sound first"),
        ("avi", "none"),
        ("mpg", "picture first"),
    ),
    ("webm", "sound first"),
}
"""The others only with `--every-container`."""

IMPOSSIBLE = {("avi", "sound first"), ("avi", "trimmed")}
"""An AVI file counts pictures from its beginning."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "combination" not in metafunc.fixturenames:
        return
    every = metafunc.config.getoption("--every-container")
    combinations = [(container, offset) for container in CODECS for offset in STARTS]
    chosen = [one for one in combinations if one in ALWAYS or (every and one not in IMPOSSIBLE)]
    metafunc.parametrize("combination", chosen, ids=[", ".join(one) for one in chosen])


@pytest.mark.parametrize("media", ["encode", "copy"])
def test_the_tone_comes_with_the_flash_or_the_clip_is_refused(
    combination: tuple[str, str], media: str, tmp_path: Path
) -> None:
    clip = make_flash_and_tone(tmp_path, *combination)
    out = tmp_path / "out"
    representations = tuple(parse_representations("144p:0.1")) if media == "encode" else None
    request = make_request(clip, out=out, media=media, representations=representations, segment_seconds=1)
    try:
        prepare(request)
    except InputError as refusal:
        assert media == "copy"
        assert re.search(REFUSALS, str(refusal))
        return
    picture, sound = read_manifest(out)
    late = prepared_moments(picture.media, sound.media).late
    assert late == pytest.approx(moments(clip).late, abs=TOLERANCE)


def test_an_avi_file_with_b_frames_keeps_its_sound(tmp_path: Path) -> None:
    """FFmpeg's program shows its pictures as late as they are decoded ahead."""
    clip = make_flash_and_tone(tmp_path, "avi", "none", b_frames=2)
    representations = tuple(parse_representations("144p:0.1"))
    prepare(make_request(clip, out=tmp_path / "out", representations=representations, segment_seconds=1))
    picture, sound = read_manifest(tmp_path / "out")
    assert prepared_moments(picture.media, sound.media).late == pytest.approx(moments(clip).late, abs=TOLERANCE)
    assert float(picture.frame_rate) == RATE


@pytest.mark.parametrize("way", ["file", "pipe"])
def test_an_avi_file_with_b_frames_keeps_its_sound_live(way: str, tmp_path: Path) -> None:
    """It counts pictures, and its muxer stores them without the delay of decoding."""
    clip = make_flash_and_tone(tmp_path, "avi", "none", b_frames=2)
    encode_unhurried(clip, tmp_path / "out", seconds=2 * SECONDS if way == "file" else None)
    together = make_flash_and_tone(tmp_path, "avi", "none")
    late = prepared_moments(joined(tmp_path / "out/v0"), joined(tmp_path / "out/a0")).late
    assert late == pytest.approx(moments(together).late, abs=TOLERANCE)


@pytest.mark.parametrize("way", ["file", "pipe"])
def test_a_raw_stream_is_played_by_its_rate_live(way: str, tmp_path: Path) -> None:
    """It has no times, and cannot be sought in."""
    clip = make_clip(tmp_path / "raw.264", seconds=1)
    encode_unhurried(clip, tmp_path / "out", seconds=2.5 if way == "file" else None)
    with av.open(str(joined(tmp_path / "out/v0"))) as container:
        times = [picture.time for picture in container.decode(video=0)]
    assert np.diff(times) == pytest.approx(1 / RATE)
    assert (len(times) >= 2.5 * RATE) if way == "file" else (len(times) in (RATE, RATE + 1))


LIVE_REFUSALS = "|".join((r"cannot be opened", r"reading ended"))
"""What `voxel-live` says of what cannot be read from a pipe: an MP4 file with its index at the end."""


@pytest.mark.parametrize("way", ["file", "pipe"])
def test_the_tone_comes_with_the_flash_live(combination: tuple[str, str], way: str, tmp_path: Path) -> None:
    clip = make_flash_and_tone(tmp_path, *combination)
    out = tmp_path / "out"
    try:
        encode_unhurried(clip, out, seconds=2 * SECONDS if way == "file" else None)
    except PreparationError as refusal:
        assert (way, combination[0]) in {("pipe", "mp4"), ("pipe", "mov")}
        assert re.search(LIVE_REFUSALS, str(refusal))
        return
    late = prepared_moments(joined(out / "v0"), joined(out / "a0")).late
    assert late == pytest.approx(moments(clip).late, abs=TOLERANCE)
