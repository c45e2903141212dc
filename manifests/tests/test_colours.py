"""Pictures look as their source does: colours, range and orientation are kept, HDR becomes SDR of the same light."""

from pathlib import Path

import numpy as np
import pytest
from clips import ffmpeg, make_clip
from colour_patches import COLUMNS, PATCHES, ROWS, Array, Form, Shown, as_hdr, hlg, light, shown, write_clip
from manifest_reader import read_manifest
from processes import call
from voxel_prepare.errors import InputError
from voxel_prepare.ffmpeg import available_filters
from voxel_prepare.media.source import check_encodable, probe

QUICK = ["--preset", "ultrafast", "--passes", "1", "--representations", "144p:4", "--segment", "1"]

CODE = 1 / 219
"""A step of an 8-bit signal."""


def prepared(source: Path, out: Path, *options: str, columns: int = COLUMNS, rows: int = ROWS) -> tuple[Shown, str]:
    """The first picture of what comes out, and what was said."""
    result = call(source, "--out", out, *QUICK, *options)
    assert result.returncode == 0, result.stderr
    (representation,) = read_manifest(out)
    return shown(representation.media, columns, rows), result.stderr


def check_same(found: Array, expected: Array, codes: float = 3) -> None:
    assert np.abs(found - expected).max() <= codes * CODE, np.round((found - expected) / CODE, 1)


SDR = [
    Form(),
    Form(range="pc"),
    Form(pixels="yuvj420p", range="pc"),
    Form(matrix="smpte170m", primaries="smpte170m", transfer="smpte170m"),
    Form(matrix="bt2020nc", primaries="bt2020", transfer="bt2020-10"),
    Form(pixels="yuv420p10le"),
    Form(pixels="yuv420p10le", range="pc"),
    Form(pixels="yuv420p10le", matrix="bt2020nc", primaries="bt2020", transfer="bt2020-10"),
    Form(pixels="yuv422p"),
    Form(pixels="yuv422p10le"),
    Form(pixels="yuv444p", matrix="smpte170m", primaries="smpte170m", transfer="smpte170m"),
    Form(pixels="yuv444p10le"),
    Form(pixels="yuvj444p", range="pc"),
]


@pytest.mark.parametrize("form", SDR, ids=lambda form: f"{form.pixels} {form.matrix} {form.range}")
def test_sdr_keeps_its_colours_and_their_tags(tmp_path: Path, form: Form) -> None:
    picture, said = prepared(write_clip(tmp_path / "clip.mp4", form), tmp_path / "out")
    check_same(picture.patches, PATCHES)
    kept = (picture.form.matrix, picture.form.primaries, picture.form.transfer)
    assert kept == (form.matrix, form.primaries, form.transfer)
    assert "HDR" not in said


def test_rgb_becomes_hd_video(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mkv", Form(pixels="gbrp", matrix="gbr", range="pc"), "-c:v", "ffv1")
    picture, _ = prepared(clip, tmp_path / "out")
    check_same(picture.patches, PATCHES)
    assert (picture.form.matrix, picture.form.range) == ("bt709", "tv")


HDR = [
    (pixels, transfer)
    for transfer in ("arib-std-b67", "smpte2084")
    for pixels in ("yuv420p10le", "yuv422p10le", "yuv444p10le")
]


@pytest.mark.parametrize(("pixels", "transfer"), HDR)
def test_hdr_looks_as_the_same_light_in_sdr(tmp_path: Path, pixels: str, transfer: str) -> None:
    form = Form(pixels, matrix="bt2020nc", primaries="bt2020", transfer=transfer)
    clip = write_clip(tmp_path / "clip.mp4", form, signal=as_hdr(PATCHES, transfer))
    picture, said = prepared(clip, tmp_path / "out")
    name = "PQ" if transfer == "smpte2084" else "HLG"
    assert said.splitlines()[0] == f"{clip}: HDR ({name}): tone-mapped to SDR (BT.709)"
    assert picture.form == Form()
    white = 4
    assert 0.88 <= picture.patches[white].min() <= picture.patches[white].max() <= 1  # with light above it, up to 1
    darker = np.delete(np.arange(len(PATCHES)), white)
    assert np.abs(light(picture.patches[darker]) - light(PATCHES[darker])).max() <= 0.03
    greys = slice(0, white)
    check_same(picture.patches[greys], PATCHES[greys])


@pytest.mark.parametrize("codec", ["av1", "hevc", "vp9"])
def test_other_codecs_say_what_the_colours_of_hdr_became(tmp_path: Path, codec: str) -> None:
    form = Form("yuv420p10le", matrix="bt2020nc", primaries="bt2020", transfer="smpte2084")
    clip = write_clip(tmp_path / "clip.mp4", form, signal=as_hdr(PATCHES, "smpte2084"))
    picture, _ = prepared(clip, tmp_path / "out", "--codec", codec)
    assert picture.form == Form()
    greys = slice(0, 4)
    check_same(picture.patches[greys], PATCHES[greys])


def test_hdr_as_phones_record_it_and_above_white(tmp_path: Path) -> None:
    """HEVC, turned, without stated primaries; highlights keep their order."""
    form = Form("yuv420p10le", matrix="bt2020nc", primaries="unknown", transfer="arib-std-b67")
    nits = np.array([0, 20, 100, 203, 400, 600, 800, 1000, 0, 0, 0, 0])
    hevc = ("-c:v", "libx265", "-x265-params", "log-level=error:qp=4", "-tag:v", "hvc1")
    plain, clip = tmp_path / "plain.mp4", tmp_path / "clip.mov"
    write_clip(plain, form, *hevc, signal=hlg(nits[:, None].repeat(3, axis=1)))
    ffmpeg("-display_rotation", "180", "-i", plain, "-c", "copy", clip)
    picture, said = prepared(clip, tmp_path / "out")
    assert "HDR (HLG): tone-mapped" in said
    greys = picture.patches[::-1].mean(axis=1)[:8]
    assert np.abs(picture.patches - picture.patches.mean(axis=1, keepdims=True)).max() < 3 * CODE
    assert list(greys) == sorted(greys)
    assert np.diff(greys).min() > CODE / 2
    assert greys[0] == pytest.approx(0, abs=CODE)
    assert 0.97 <= greys[7] <= 1.01


QUADRANTS: Array = np.array([[[0.75, 0, 0], [0, 0.75, 0]], [[0, 0, 0.75], [0.75, 0.75, 0.75]]])
"""Red, green, blue and grey: no turn and no mirror leaves them in their places."""

MATRICES = {
    "90": ("-display_rotation", "90"),
    "180": ("-display_rotation", "180"),
    "270": ("-display_rotation", "270"),
    "mirrored": ("-display_hflip",),
    "upside down": ("-display_vflip",),
    "90 and mirrored": ("-display_rotation", "90", "-display_hflip"),
    "270 and mirrored": ("-display_rotation", "270", "-display_hflip"),
}


@pytest.mark.parametrize("turn", MATRICES)
def test_pictures_are_turned_and_mirrored_as_the_track_says(tmp_path: Path, turn: str) -> None:
    upright = tmp_path / "upright.mp4"
    write_clip(upright, Form(), signal=QUADRANTS.repeat(2, axis=1).reshape(-1, 3), rows=2)
    clip = tmp_path / "clip.mp4"
    ffmpeg(*MATRICES[turn], "-i", upright, "-c", "copy", clip)
    expected = as_displayed(QUADRANTS, track_matrix(clip))
    assert (expected != QUADRANTS).any()
    picture, _ = prepared(clip, tmp_path / "out", columns=2, rows=2)
    check_same(picture.patches, expected.reshape(-1, 3))


def track_matrix(path: Path) -> Array:
    """Columns are where the axes of the stored picture point to when it is displayed (ISO/IEC 14496-12, 8.3.2)."""
    data = path.read_bytes()
    start = data.index(b"tkhd") + 4 + 40  # version 0
    a, b, _, c, d, _ = np.frombuffer(data[start : start + 24], ">i4") / (1 << 16)
    return np.array([[a, c], [b, d]])


def as_displayed(quadrants: Array, matrix: Array) -> Array:
    result = np.empty_like(quadrants)
    for row, y in enumerate((-1, 1)):
        for column, x in enumerate((-1, 1)):
            shown_x, shown_y = matrix @ np.array([x, y])
            result[int(shown_y > 0), int(shown_x > 0)] = quadrants[row, column]
    return result


def test_hdr_is_refused_where_ffmpeg_cannot_map_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    form = Form("yuv420p10le", matrix="bt2020nc", primaries="bt2020", transfer="arib-std-b67")
    source = probe(write_clip(tmp_path / "clip.mp4", form))
    monkeypatch.setattr("voxel_prepare.media.source.available_filters", lambda: frozenset({"tonemap", "scale"}))
    with pytest.raises(InputError, match=r"HDR \(HLG\) must be tone-mapped, and .* has no filter zscale"):
        check_encodable(source)


def test_filters_are_read_from_what_ffmpeg_lists() -> None:
    assert {"scale", "zscale", "tonemap", "fps"} <= available_filters()
    assert not {"T..", "=", "Filters:"} & available_filters()


@pytest.mark.parametrize("tag", ["dvh1", "dvhe"])
def test_dolby_vision_without_a_base_layer_is_refused(tmp_path: Path, tag: str) -> None:
    clip = make_clip(tmp_path / "clip.mp4", "-c:v", "libx265", "-x265-params", "log-level=error", "-tag:v", "hvc1")
    clip.write_bytes(clip.read_bytes().replace(b"hvc1", tag.encode()))
    with pytest.raises(InputError, match="Dolby Vision without a base layer"):
        check_encodable(probe(clip))
