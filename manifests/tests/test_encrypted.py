"""Media that another project's packager has encrypted: what is read, decrypted, scored, and refused."""

import json
from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from protected_ladder import KEY as LADDER_KEY
from protected_ladder import NEXT_KEY, Ladder, make_ladder, protect_anew
from typer.testing import CliRunner
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.cli.prepare import app
from voxel_prepare.codecs import codec_of
from voxel_prepare.errors import InputError, UnsupportedStream
from voxel_prepare.inspect.described import read_described
from voxel_prepare.isobmff import parse_fragments, parse_track
from voxel_prepare.isobmff.common_encryption import Decryption, protected_samples
from voxel_prepare.manifest.existing import read_existing
from voxel_prepare.repair.encrypted import check_headers_are_clear

VECTOR: dict[str, Any] = json.loads((Path(__file__).parents[2] / "test/vectors/cbcs.json").read_text())
KEYS = {bytes.fromhex(VECTOR["keyId"]): bytes.fromhex(VECTOR["key"])}
KEY = f"{VECTOR['keyId']}:{VECTOR['key']}"
LENGTH = 4
"""Bytes of the length before each NAL unit."""
FILLER_DATA = 12
"""Type of NAL unit (H.264 table 7-1)."""
MPD = """<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT2S" minBufferTime="PT1S"
  profiles="urn:mpeg:dash:profile:isoff-live:2011"><Period><AdaptationSet mimeType="video/mp4">
  <ContentProtection schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="cbcs"/>
  <SegmentTemplate media="$Number$.m4s" initialization="init.mp4" duration="1"/>
  <Representation id="v" bandwidth="20000" codecs="avc1.42c00a" width="64" height="48"/>
  </AdaptationSet></Period></MPD>"""


def part(of: str, index: int | None = None) -> bytes:
    return b64decode(VECTOR[of]["init"] if index is None else VECTOR[of]["segments"][index])


def presentation(folder: Path, of: str) -> Path:
    folder.mkdir()
    (folder / "init.mp4").write_bytes(part(of))
    for number in (1, 2):
        (folder / f"{number}.m4s").write_bytes(part(of, number - 1))
    mpd = folder / "film.mpd"
    mpd.write_text(MPD)
    return mpd


def samples(init: bytes, segment: bytes) -> list[bytes]:
    defaults = parse_track(init).defaults
    return [
        segment[sample.offset : sample.offset + sample.size]
        for fragment in parse_fragments(segment, defaults)
        for sample in fragment.samples
    ]


def decrypted(index: int) -> tuple[bytes, list[ByteRange]]:
    track = parse_track(part("encrypted"))
    encryption = track.description.encryption
    assert encryption is not None
    segment = part("encrypted", index)
    samples = list(protected_samples(segment, track.defaults, encryption))
    clear = Decryption(encryption, KEYS).decrypt(segment, samples)
    return clear, [range_ for sample in samples for range_ in sample.encrypted]


@pytest.mark.parametrize("index", [0, 1])
def test_a_decrypted_segment_has_the_samples_of_the_clear_one(index: int) -> None:
    segment, ranges = decrypted(index)
    assert len(segment) == len(part("encrypted", index))
    assert samples(part("encrypted"), segment) == samples(part("clear"), part("clear", index))
    assert samples(part("encrypted"), part("encrypted", index)) != samples(part("clear"), part("clear", index))
    assert ranges


def test_headers_must_be_in_the_clear() -> None:
    track = parse_track(part("encrypted"))
    segment, ranges = decrypted(0)
    codec = codec_of(track.description)
    check_headers_are_clear(codec, segment, track.defaults, ranges)
    second = [ranges[0], ByteRange(ranges[1].start - 1, ranges[1].end), *ranges[2:]]
    with pytest.raises(UnsupportedStream, match="slice headers that are encrypted"):
        check_headers_are_clear(codec, segment, track.defaults, second)


def prepare(mpd: Path, *options: str) -> tuple[int, str]:
    """Exit code and output of `voxel-prepare --copy`."""
    words = [str(mpd), "--copy", "--out", str(mpd.parent), "--jobs", "1", *options]
    result = CliRunner().invoke(app, words)
    return result.exit_code, result.output


def described(mpd: Path) -> list[tuple[Sequence[int], list[float]]]:
    """The order of each segment's frames and the scores of its levels; bytes differ, as headers do."""
    return [
        (segment.order, [step.score for step in segment.steps])
        for representation in read_described(mpd.parent)
        for segment in representation.segments
    ]


def test_scores_are_those_of_the_same_film_in_the_clear(tmp_path: Path) -> None:
    encrypted, clear = presentation(tmp_path / "encrypted", "encrypted"), presentation(tmp_path / "clear", "clear")
    before = {path.name: path.read_bytes() for path in encrypted.parent.glob("*.m*")}
    assert prepare(encrypted, "--key", KEY)[0] == 0
    assert prepare(clear)[0] == 0
    assert described(encrypted) == described(clear) != []
    assert all(len(scores) > 1 for _, scores in described(encrypted))
    assert {name: (encrypted.parent / name).read_bytes() for name in before} == before


@pytest.mark.parametrize("begins", ["encrypted", "in the clear"])
def test_without_the_key_scores_are_foretold_and_one_line_says_so(tmp_path: Path, begins: str) -> None:
    folder = tmp_path / "encrypted"
    mpd = presentation(folder, "encrypted") if begins == "encrypted" else with_clear_lead(folder)
    code, output = prepare(mpd)
    assert code == 0
    assert output.count("scores are foretold from bytes") == output.count("warning") == 1
    (representation,) = read_described(folder)
    assert representation.is_foretold
    assert all(len(scores) > 1 for _, scores in described(mpd))
    code, output = prepare(mpd, "--key", KEY)
    assert code == 0
    assert "foretold" not in output
    assert not read_described(folder)[0].is_foretold


@pytest.mark.parametrize("codec", ["h264", "av1"])
def test_scores_do_not_depend_on_how_a_ladder_is_encrypted(tmp_path: Path, codec: str) -> None:
    """Whole samples are removed, so they are not those of the ladder in the clear."""
    cenc = tmp_path / "cenc"
    make_ladder(cenc, Ladder((codec,), "cenc", seconds=2, segment_seconds=1))
    rotated = copytree(cenc, tmp_path / "rotated")
    protect_anew(rotated, Ladder(scheme="cenc", rotated=1))
    cbcs = copytree(cenc, tmp_path / "cbcs")
    protect_anew(cbcs, Ladder(scheme="cbcs", rotated=1))
    found = []
    for folder in (cenc, rotated, cbcs):
        code, output = prepare(folder / "stream.mpd", "--key", str(LADDER_KEY), "--key", str(NEXT_KEY))
        assert (code, output.count("warning")) == (0, 0)
        found.append(described(folder / "stream.mpd"))
    assert found[0] == found[1] == found[2]
    assert all(len(scores) > 1 for _, scores in found[0])


@pytest.mark.parametrize(
    ("codec", "reason"), [("vp9", "from the first byte of a frame on"), ("hevc", "nothing can be told")]
)
def test_without_the_key_what_hides_its_headers_stays_plain(tmp_path: Path, codec: str, reason: str) -> None:
    """FFmpeg encrypts them (findings/ffmpeg-cenc-hides-headers.sh)."""
    mpd = make_ladder(tmp_path, Ladder((codec,), "cenc", seconds=1, segment_seconds=1))
    code, output = prepare(mpd)
    assert code == 2
    assert reason in output
    assert "--key" in output


def test_a_wrong_key_ends_in_an_error(tmp_path: Path) -> None:
    code, output = prepare(presentation(tmp_path / "encrypted", "encrypted"), "--key", f"{VECTOR['keyId']}:{'0' * 32}")
    assert code == 2
    assert f"cannot be decoded with the key given for {VECTOR['keyId']}" in output
    assert "0" * 32 not in output


def test_a_picture_of_which_a_slice_is_missing_ends_in_an_error(tmp_path: Path) -> None:
    """Its NAL unit has become filler data, which decoders leave out: they conceal what is missing and say nothing."""
    mpd = presentation(tmp_path / "encrypted", "encrypted")
    segment = mpd.parent / "1.m4s"
    data = bytearray(segment.read_bytes())
    track = parse_track(part("encrypted"))
    (*_, sample) = parse_fragments(bytes(data), track.defaults)[0].samples
    second_slice = sample.offset + LENGTH + int.from_bytes(data[sample.offset : sample.offset + LENGTH], "big") + LENGTH
    data[second_slice] = FILLER_DATA
    segment.write_bytes(data)
    code, output = prepare(mpd, "--key", KEY)
    assert code == 2
    assert "a part of picture" in output


@pytest.mark.parametrize("key", ["", "1:2", VECTOR["keyId"], KEY + "0"])
def test_a_key_that_is_none_is_refused_without_being_repeated(tmp_path: Path, key: str) -> None:
    code, output = prepare(presentation(tmp_path / "encrypted", "encrypted"), f"--key={key}")
    assert code == 2
    assert VECTOR["key"] not in output


def grown(data: bytes, names: Sequence[bytes], size: int, at: int = 0) -> bytearray:
    """The data with boxes of these names, each inside the one before, longer by `size`."""
    edited = bytearray(data)
    for name in names:
        at = data.index(name, at)
        edited[at - 4 : at] = (int.from_bytes(data[at - 4 : at], "big") + size).to_bytes(4, "big")
        at += 4
    return edited


def with_clear_lead(folder: Path) -> Path:
    """The encrypted presentation, but for its first segment: in the clear, with the second sample description."""
    mpd = presentation(folder, "encrypted")
    init, clear_init, clear = part("encrypted"), part("clear"), part("clear", 0)
    start = clear_init.index(b"avc1", clear_init.index(b"stsd")) - 4
    entry = clear_init[start : start + int.from_bytes(clear_init[start : start + 4], "big")]
    stsd = init.index(b"stsd")
    end = stsd - 4 + int.from_bytes(init[stsd - 4 : stsd], "big")
    edited = grown(init, (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd"), len(entry))
    edited[stsd + 8 : stsd + 12] = (2).to_bytes(4, "big")
    (folder / "init.mp4").write_bytes(bytes(edited[:end]) + entry + bytes(edited[end:]))
    described = bytearray(clear)
    number = clear.index(b"tfhd") + 12
    described[number : number + 4] = (2).to_bytes(4, "big")
    (folder / "1.m4s").write_bytes(described)
    return mpd


def test_a_track_that_begins_in_the_clear_is_scored_as_in_the_clear(tmp_path: Path) -> None:
    mpd, clear = with_clear_lead(tmp_path / "lead"), presentation(tmp_path / "clear", "clear")
    existing = read_existing(mpd, {bytes.fromhex(VECTOR["keyId"]): bytes.fromhex(VECTOR["key"])})
    (representation,) = existing.representations
    assert [segment.decryption is None for segment in representation.segments] == [True, False]
    assert prepare(mpd, "--key", KEY)[0] == prepare(clear)[0] == 0
    assert described(mpd) == described(clear)
    assert all(len(scores) > 1 for _, scores in described(mpd))


def beside_a_clear_set(folder: Path, of: Path) -> Path:
    """An MPD with the set of a presentation beside another one in the clear, which is its last."""
    clear = presentation(folder, "clear")
    copytree(of.parent, folder / "protected")
    text = of.read_text()
    protected = text[text.index("<AdaptationSet") : text.index("</Period>")]
    protected = protected.replace('media="', 'media="protected/').replace(
        'initialization="', 'initialization="protected/'
    )
    clear.write_text(clear.read_text().replace("<AdaptationSet", f"{protected}<AdaptationSet", 1))
    return clear


@pytest.mark.parametrize(
    ("scheme", "reason"),
    [
        ("cens", "of encrypted media --copy takes those of the scheme cbcs or cenc only, found cens"),
        ("cbc1", "of encrypted media --copy takes those of the scheme cbcs or cenc only, found cbc1"),
    ],
)
def test_a_set_that_is_encrypted_otherwise_stays_plain_beside_one_in_the_clear(
    tmp_path: Path, scheme: str, reason: str
) -> None:
    protected = presentation(tmp_path / "encrypted", "encrypted")
    initialization = protected.parent / "init.mp4"
    initialization.write_bytes(initialization.read_bytes().replace(b"cbcs", scheme.encode()))
    mpd = beside_a_clear_set(tmp_path / "both", protected)
    code, output = prepare(mpd)
    assert code == 0
    assert output.count("warning") == 1
    assert f"representation v plays as before, without an index: {reason}" in output
    assert len(described(mpd)) == 2


def test_other_schemes_are_refused(tmp_path: Path) -> None:
    mpd = presentation(tmp_path / "encrypted", "encrypted")
    initialization = mpd.parent / "init.mp4"
    initialization.write_bytes(initialization.read_bytes().replace(b"cbcs", b"cens"))
    with pytest.raises(InputError, match="scheme cbcs or cenc only, found cens"):
        read_existing(mpd)
