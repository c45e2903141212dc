"""Presentations as sites have them: whatever dash.js plays of them is taken, or stays as it was with a warning."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from shutil import copytree

import pytest
from clips import ffmpeg
from lxml import etree
from presentations import as_avc3, joined, make_presentation
from processes import call
from voxel_prepare.codecs import TITLES
from voxel_prepare.errors import InputError
from voxel_prepare.inspect.described import DescribedSegment, read_described
from voxel_prepare.manifest.existing import ExistingPresentation, read_existing
from voxel_prepare.manifest.index_file import INDEX_SCHEME
from voxel_prepare.manifest.periods import parse_duration

FRAMES = 10
"""Frames of a whole segment: two and a half of them are a second."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_presentation(tmp_path_factory.mktemp("original"), "template by number", frames=FRAMES)


@pytest.fixture
def ladder(original: Path, tmp_path: Path) -> Path:
    """A copy of the original; its MPD."""
    return copytree(original.parent, tmp_path / "ladder") / original.name


@pytest.fixture
def twice(original: Path, tmp_path: Path) -> list[Path]:
    """The MPDs of two copies, in folders of `tmp_path`."""
    return [copytree(original.parent, tmp_path / name) / original.name for name in ("first", "second")]


def edit(mpd: Path, *replacements: tuple[str, str]) -> None:
    text = mpd.read_text()
    for old, new in replacements:
        assert re.search(old, text, re.DOTALL), old
        text = re.sub(old, new, text, count=1, flags=re.DOTALL)
    mpd.write_text(text)


def names(existing: ExistingPresentation) -> list[list[str]]:
    return [[one.name for one in of_set] for of_set in existing.switching_sets]


def indexes(mpd: Path) -> list[tuple[str, bool]]:
    """The id of each video representation, and whether it has an index."""
    root = etree.parse(mpd)
    elements = root.iterfind(".//{*}AdaptationSet[@contentType='video']/{*}Representation")
    return [
        (element.get("id", ""), element.find(f"{{*}}SupplementalProperty[@schemeIdUri='{INDEX_SCHEME}']") is not None)
        for element in elements
    ]


def copied(mpd: Path, out: Path, *options: str) -> str:
    """What `voxel-prepare --copy` says."""
    result = call("--copy", mpd, "--out", out, *options)
    assert result.returncode == 0, result.stderr
    return result.stderr


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("P0Y0M0DT0H0M8.000S", 8),
        ("P0Y0M1DT1S", 86_401),
        ("P0Y", 0),
        ("-PT0S", 0),
        ("-P0Y0M0DT0.0S", 0),
        ("P2D", 172_800),
        ("PT1H", 3600),
        ("PT0090M0.50S", Fraction(10_801, 2)),
        ("\n PT5S\t", 5),
        ("PT0.12345678901234567S", Fraction(12345678901234567, 10**17)),
    ],
)
def test_durations_are_read_as_the_schema_has_them(text: str, seconds: int | Fraction) -> None:
    assert parse_duration(text, Path("film.mpd")) == seconds


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("P1Y", "as years and months differ, got 'P1Y'"),
        ("P0Y2M", "as years and months differ"),
        ("-PT1S", "must not be negative"),
        *((text, "such as PT1M30S") for text in ("P", "PT", "P1DT", "PT1.S", "P-1D", "5", "", "PT1S PT1S", "p1d")),
        (None, "such as PT1M30S, got None"),
    ],
)
def test_what_is_no_duration_is_refused_in_words(text: str | None, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        parse_duration(text, Path("film.mpd"))


@pytest.mark.parametrize("years", ["P0Y0M0DT0H0M1.000S", "P0Y0M0DT1S"])
def test_zero_years_and_months_are_taken(ladder: Path, tmp_path: Path, years: str) -> None:
    edit(ladder, ('mediaPresentationDuration="[^"]*"', f'mediaPresentationDuration="{years}"'))
    copied(ladder, tmp_path / "out")
    assert indexes(tmp_path / "out/manifest.mpd") == [("0", True), ("1", True)]


ABSOLUTE = ("https://cdn2.example.net/film/", "//cdn3.example.net/", "/root/of/the/server/", "ftp:x", "data:,")


@pytest.mark.parametrize("level", ["MPD", "Period", "AdaptationSet", "Representation"])
def test_absolute_addresses_beside_relative_ones_stay_at_every_level(ladder: Path, tmp_path: Path, level: str) -> None:
    bases = "".join(f"<BaseURL>{base}</BaseURL>" for base in ("./", *ABSOLUTE))
    first_child = "ProgramInformation>.*?</ProgramInformation>" if level == "MPD" else f"{level}[^>]*[^/]>"
    edit(ladder, (f"(<{first_child})", rf"\g<1>{bases}"))
    message = copied(ladder, tmp_path / "out")
    assert "warning" not in message
    root = etree.parse(tmp_path / "out/manifest.mpd").getroot()
    found = [element.text for element in root.iterfind(".//{*}BaseURL")]
    assert found == (["../ladder/./", *ABSOLUTE] if level == "MPD" else ["../ladder/", "./", *ABSOLUTE])
    assert all(has_index for _, has_index in indexes(tmp_path / "out/manifest.mpd"))
    assert len(read_described(tmp_path / "out")) == 2


def test_an_absolute_address_that_players_ask_first_gets_a_warning(ladder: Path, tmp_path: Path) -> None:
    bases = "<BaseURL>https://cdn.example.net/</BaseURL><BaseURL>./</BaseURL>"
    edit(ladder, ("(</ProgramInformation>)", rf"\g<1>{bases}"))
    message = copied(ladder, tmp_path / "out")
    assert f"warning: {ladder}: https://cdn.example.net/: players ask there first, without an index" in message
    text = (tmp_path / "out/manifest.mpd").read_text()
    assert "<BaseURL>https://cdn.example.net/</BaseURL><BaseURL>../ladder/./</BaseURL>" in text


def added_set(*representations: str, attributes: str = 'contentType="video" mimeType="video/mp4"') -> tuple[str, str]:
    """A replacement that puts an AdaptationSet before the first one."""
    template = '<SegmentTemplate duration="1" initialization="no-$RepresentationID$.mp4" media="no-$Number$.m4s"/>'
    elements = "".join(
        f'<Representation bandwidth="300000" width="640" height="360" {one}>{template}</Representation>'
        for one in representations
    )
    return "(<AdaptationSet )", rf"<AdaptationSet {attributes}>{elements}</AdaptationSet>\g<1>"


@pytest.mark.parametrize(
    ("codecs", "found"),
    [
        ("vvc1.1.L51.CQA", "vvc1"),
        ("vp08.00.41.08", "vp08"),
        ("dvh1.05.01", "dvh1"),
    ],
)
def test_sets_of_other_codecs_stay_plain_with_a_warning(ladder: Path, tmp_path: Path, codecs: str, found: str) -> None:
    edit(ladder, added_set(f'id="8" codecs="{codecs}"', f'id="9" codecs="{codecs}"'))
    message = copied(ladder, tmp_path / "out")
    assert message.count("warning") == 1
    reason = f"--copy takes {TITLES} video only, found {found}"
    assert f"warning: {ladder}: representations 8, 9 play as before, without an index: {reason}" in message
    assert indexes(tmp_path / "out/manifest.mpd") == [("8", False), ("9", False), ("0", True), ("1", True)]


def test_each_kind_that_stays_plain_gets_its_warning_and_the_rest_of_its_set_an_index(ladder: Path) -> None:
    other = '<Representation id="7" codecs="dvh1.05.01" bandwidth="1"/>'
    edit(
        ladder,
        (r"(<Representation )", rf"{other}\g<1>"),
        added_set('id="8" codecs="vp09.00.10.08"', attributes='contentType="video" mimeType="video/webm"'),
        added_set('id="9"', attributes='contentType="video" mimeType="video/mp4" codecs="vvc1.1.L51.CQA"'),
    )
    existing = read_existing(ladder)
    assert names(existing) == [["0", "1"]]
    assert [warning.partition(": ")[0] for warning in existing.warnings] == [
        f"representation {id_} plays as before, without an index" for id_ in "987"
    ]


def test_a_codec_that_only_the_media_tell_stays_plain(ladder: Path) -> None:
    edit(ladder, (r'codecs="avc1[^"]*"', ""), (r'codecs="avc1[^"]*"', ""))
    initialization = ladder.parent / "1/init.mp4"
    initialization.write_bytes(initialization.read_bytes().replace(b"avc1", b"vvc1"))
    existing = read_existing(ladder)
    assert names(existing) == [["0"]]
    assert existing.warnings == [
        f"representation 1 plays as before, without an index: --copy takes {TITLES} video only, found vvc1"
    ]


def test_a_presentation_of_which_no_set_is_left_is_refused(ladder: Path) -> None:
    edit(ladder, (r'codecs="avc1[^"]*"', 'codecs="vvc1.1"'), (r'codecs="avc1[^"]*"', 'codecs="dvh1.05"'))
    with pytest.raises(InputError, match=rf"ladder\.mpd: --copy takes {TITLES} video only, found vvc1"):
        read_existing(ladder)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("-r:v:0", "50", "-g:v:0", str(2 * FRAMES)), "representations 0 and 1 differ: segment 1 has 20 and 10 frames"),
        (("-x264-params:v:0", "open-gop=1:bframes=3:b-adapt=0"), "open GOP"),
    ],
)
def test_a_set_that_cannot_be_scored_stays_plain_beside_one_that_can(
    tmp_path: Path, original: Path, options: Sequence[str], reason: str
) -> None:
    copytree(original.parent, tmp_path / "good")
    make_presentation(tmp_path / "bad", "template by number", *options, frames=FRAMES)
    mpd = joined(tmp_path / "film.mpd", tmp_path / "bad/ladder.mpd", tmp_path / "good/ladder.mpd")
    existing = read_existing(mpd)
    assert ["0 of period 2", "1 of period 2"] in names(existing)
    assert len(existing.warnings) == 1
    assert reason in existing.warnings[0].replace(" of period 1", "")


def test_several_periods_each_get_their_indexes(twice: list[Path], tmp_path: Path) -> None:
    mpd = joined(tmp_path / "film.mpd", *twice)
    existing = read_existing(mpd)
    assert names(existing) == [["0 of period 1", "1 of period 1"], ["0 of period 2", "1 of period 2"]]
    assert existing.duration == 2
    assert {one.duration for one in existing.representations} == {1}
    message = copied(mpd, tmp_path / "out")
    assert "1 of period 2" in message
    assert indexes(tmp_path / "out/manifest.mpd") == [("0", True), ("1", True)] * 2
    rates = re.findall(r"\d of period \d +\d+x\d+ +(\d+)", message)
    assert rates[:2] == rates[2:] != []


@pytest.mark.parametrize(
    ("first", "second", "end", "durations"),
    [
        ({"duration": "PT1S"}, {"duration": "PT1S"}, None, [1, 1]),
        ({}, {"start": "PT1S"}, "PT2S", [1, 1]),
        ({"duration": "PT1S"}, {}, "P0DT2S", [1, 1]),
        ({"start": "PT10S"}, {"start": "PT11S"}, "PT12S", [1, 1]),
    ],
)
def test_the_duration_of_a_period_follows_from_whatever_is_stated(
    twice: list[Path],
    tmp_path: Path,
    first: dict[str, str],
    second: dict[str, str],
    end: str | None,
    durations: list[int],
) -> None:
    mpd = joined(tmp_path / "film.mpd", *twice, attributes=[first, second], end=end)
    found = list(dict.fromkeys((one.name[-1], one.duration) for one in read_existing(mpd).representations))
    assert [duration for _, duration in found] == durations


@pytest.mark.parametrize(
    ("first", "second", "end", "reason"),
    [
        ({}, {}, "PT2S", "must state a duration"),
        ({"duration": "PT1S"}, {}, None, "must state a duration"),
        ({"duration": "PT1S"}, {}, "PT1S", "must have a positive duration, found 0 s"),
    ],
)
def test_a_period_without_a_duration_is_refused(
    twice: list[Path], tmp_path: Path, first: dict[str, str], second: dict[str, str], end: str | None, reason: str
) -> None:
    mpd = joined(tmp_path / "film.mpd", *twice, attributes=[first, second], end=end)
    with pytest.raises(InputError, match=reason):
        read_existing(mpd)


def live(*attributes: str) -> tuple[str, str]:
    return r'type="static"', f'type="dynamic" {" ".join(attributes)}'


YESTERDAY = f'availabilityStartTime="{datetime.now(UTC) - timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"'
TOMORROW = f'availabilityStartTime="{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M:%S.%fZ}"'
UPDATES = 'minimumUpdatePeriod="PT2S"'


@pytest.mark.parametrize("attributes", [(YESTERDAY,), (YESTERDAY, UPDATES), (TOMORROW,), ()])
def test_a_live_presentation_that_has_ended_becomes_static(
    ladder: Path, tmp_path: Path, attributes: tuple[str, ...]
) -> None:
    edit(ladder, live(*attributes, 'timeShiftBufferDepth="PT1S" suggestedPresentationDelay="PT1S"'))
    copied(ladder, tmp_path / "out")
    root = etree.parse(tmp_path / "out/manifest.mpd").getroot()
    assert root.get("type") == "static"
    followed = {"minimumUpdatePeriod", "timeShiftBufferDepth", "suggestedPresentationDelay"}
    assert followed.isdisjoint(root.attrib)
    assert indexes(tmp_path / "out/manifest.mpd") == [("0", True), ("1", True)]


@pytest.mark.parametrize(
    ("replacements", "reason"),
    [
        ([live(YESTERDAY), ('mediaPresentationDuration="[^"]*"', "")], "this one states no end"),
        ([live(TOMORROW, UPDATES)], "this one may still change"),
        ([live(UPDATES)], "this one may still change"),
        ([('type="static"', 'type="moving"')], "type must be static or dynamic, got 'moving'"),
    ],
)
def test_a_presentation_that_is_live_is_refused(ladder: Path, replacements: list[tuple[str, str]], reason: str) -> None:
    edit(ladder, *replacements)
    with pytest.raises(InputError, match=reason):
        read_existing(ladder)


def test_parameter_sets_in_samples_are_repaired(tmp_path: Path) -> None:
    mpd = make_presentation(tmp_path / "dash", "template by number", "-x264-params", "repeat-headers=1", frames=FRAMES)
    for level in "01":
        initialization = mpd.parent / level / "init.mp4"
        initialization.write_bytes(as_avc3(initialization.read_bytes()))
    edit(mpd, ('codecs="avc1', 'codecs="avc3'), ('codecs="avc1', 'codecs="avc3'))
    assert "warning" not in copied(mpd, tmp_path / "out")
    assert all(
        segment.steps[0].bytes < segment.bytes and len(segment.steps) > 1 for segment in segments(tmp_path / "out")
    )


def segments(out: Path) -> list[DescribedSegment]:
    return [segment for representation in read_described(out) for segment in representation.segments]


def test_fragments_of_one_frame_are_repaired(tmp_path: Path) -> None:
    mpd = make_presentation(
        tmp_path / "dash", "template by number", "-frag_type", "every_frame", "-streaming", "1", frames=FRAMES
    )
    assert (mpd.parent / "1/00001.m4s").read_bytes().count(b"moof") == FRAMES
    assert "warning" not in copied(mpd, tmp_path / "out")
    assert all(len(segment.steps) > 1 for segment in segments(tmp_path / "out"))


def test_media_muxed_from_a_raw_stream_with_b_frames_end_in_words(tmp_path: Path) -> None:
    raw, muxed = tmp_path / "raw.264", tmp_path / "muxed.mp4"
    ffmpeg(
        "-f", "lavfi", "-i", "testsrc2=size=160x90:rate=25:duration=2", "-c:v", "libx264", "-bf", "2", "-g", "25", raw
    )
    ffmpeg("-i", raw, "-c", "copy", muxed)
    result = call("--copy", muxed, "--out", tmp_path / "out", "--segment", "1")
    assert result.returncode == 0 or f"{muxed}" in result.stderr
