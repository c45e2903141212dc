"""What is read of presentations that exist already: every addressing, and every reason to refuse one."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from clips import ffmpeg
from presentations import ADDRESSINGS, SEGMENT_FRAMES, Addressing, make_presentation
from voxel_prepare.errors import InputError
from voxel_prepare.manifest.existing import read_existing


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[Addressing, Path]:
    folder = tmp_path_factory.mktemp("originals")
    return {addressing: make_presentation(folder / addressing, addressing) for addressing in ADDRESSINGS}


@pytest.mark.parametrize("addressing", ADDRESSINGS)
def test_every_addressing_leads_to_the_segments(originals: dict[Addressing, Path], addressing: Addressing) -> None:
    existing = read_existing(originals[addressing])
    assert existing.duration == 5
    sizes = [(found.name, found.width, found.height) for found in existing.representations]
    assert sizes == [("0", 160, 90), ("1", 320, 180)]
    for representation in existing.representations:
        assert representation.segment_frames == SEGMENT_FRAMES
        joined = b"".join(segment.read().data for segment in representation.segments)
        initialization = representation.addresses.initialization
        assert decoded_frames(initialization.path, initialization.range.end, joined) == 125


def decoded_frames(initialization: Path, size: int, segments: bytes) -> int:
    joined = initialization.parent / "joined.tmp"
    joined.write_bytes(initialization.read_bytes()[:size] + segments)
    hashes = ffmpeg("-xerror", "-i", joined, "-f", "framemd5", "-")
    joined.unlink()
    return sum(not line.startswith("#") for line in hashes.splitlines())


Edit = Callable[[str], str]


def replaced(old: str, new: str) -> Edit:
    def edit(text: str) -> str:
        changed = re.sub(old, new, text, count=1, flags=re.DOTALL)
        assert changed != text
        return changed

    return edit


@pytest.fixture
def edited(originals: dict[Addressing, Path], tmp_path: Path) -> Callable[[Addressing, Edit], Path]:
    """Copies a ladder and edits its MPD."""

    def copy(addressing: Addressing, edit: Edit) -> Path:
        folder = tmp_path / "ladder"
        copytree(originals[addressing].parent, folder)
        (tmp_path / "secret.mp4").write_bytes(b"of somebody else")
        (folder / "outside").symlink_to(tmp_path)
        (folder / "linked.mp4").symlink_to(tmp_path / "secret.mp4")
        (folder / "circle").symlink_to("circle")
        os.mkfifo(folder / "pipe")
        mpd = folder / "ladder.mpd"
        mpd.write_text(edit(mpd.read_text()))
        return mpd

    return copy


def moved_up(text: str) -> str:
    """The template of the first representation goes to its adaptation set; the second keeps its own timeline."""
    template = re.search(r"<SegmentTemplate.*?</SegmentTemplate>", text, re.DOTALL)
    assert template is not None
    without = text.replace(template[0], "", 1)
    return re.sub(r"(<AdaptationSet id=\"0\"[^>]*>)", lambda found: found[0] + template[0], without)


@pytest.mark.parametrize(
    ("addressing", "edit"),
    [
        ("template by time", moved_up),
        ("template by time", replaced(r'<S t="0" d="25600" r="1" />\s*<S d="12800" />', '<S d="25600" r="-1"/>')),
        ("template by number", replaced(r'PT5\.0S"', 'PT6.5S"')),  # rounded up: there is no fourth file
        ("list", replaced(r"<Period", "<BaseURL>./</BaseURL><Period")),
    ],
    ids=["inherited template", "repeated to the end", "duration rounded up", "base URL of the MPD"],
)
def test_segments_are_found_however_the_mpd_says_it(
    edited: Callable[[Addressing, Edit], Path], addressing: Addressing, edit: Edit
) -> None:
    existing = read_existing(edited(addressing, edit))
    assert [representation.segment_frames for representation in existing.representations] == [SEGMENT_FRAMES] * 2


@pytest.mark.parametrize(
    ("addressing", "edit", "reason"),
    [
        ("list", replaced("</Period>", '</Period><Period id="1"/>'), "must state a duration such as"),
        ("list", replaced("<MPD", "<XML"), "not an MPD"),
        ("list", replaced(r'mediaPresentationDuration="[^"]*"', ""), "must state a duration such as"),
        (
            "list",
            replaced(r'mediaPresentationDuration="[^"]*"', 'mediaPresentationDuration="5"'),
            "must state a duration such as",
        ),
        ("list", replaced("<BaseURL>", "<BaseURL>http://localhost/"), "must be relative to the MPD"),
        ("list", replaced("<BaseURL>", "<BaseURL>//localhost/"), "must be relative to the MPD"),
        ("list", replaced("<BaseURL>", "<BaseURL>file:///etc/"), "must be relative to the MPD"),
        ("list", replaced("<BaseURL>", "<BaseURL>/etc/"), "/etc: an MPD may only name files in its own folder"),
        ("list", replaced("<BaseURL>", "<BaseURL>../"), "in its own folder"),
        ("list", replaced("<BaseURL>", "<BaseURL>%2e%2e/"), "in its own folder"),
        ("list", replaced("<BaseURL>", "<BaseURL>x/%2E./..%2f../"), "in its own folder"),
        ("list", replaced("<BaseURL>", "<BaseURL>outside/"), "in its own folder"),
        ("list", replaced("<BaseURL>[^<]*", "<BaseURL>linked.mp4"), "in its own folder"),
        ("list", replaced("<BaseURL>", "<BaseURL>circle/"), "not the name of a file|no such file"),
        ("list", replaced("<BaseURL>", "<BaseURL>%00"), "not the name of a file"),
        ("list", replaced("<BaseURL>[^<]*", "<BaseURL>pipe"), "no such file"),
        ("list", replaced("<Initialization ", '<Initialization sourceURL="../secret.mp4" '), "in its own folder"),
        ("list", replaced("<SegmentURL ", '<SegmentURL media="../secret.mp4" '), "in its own folder"),
        ("template by number", replaced('id="0" mimeType', 'id="../.." mimeType'), "in its own folder"),
        ("template by number", replaced('media="', 'media="file:///etc/'), "must be relative to the MPD"),
        ("list", replaced("<BaseURL>", "<BaseURL>no-"), "no such file"),
        ("list", replaced("<BaseURL>", f"<BaseURL>{'a' * 3000}/"), "no such file"),
        ("list", replaced("<BaseURL>", "<BaseURL>http://[/"), "not a valid URL"),
        ("list", replaced("<Period", "\0<Period"), r"not an MPD: .* Char 0x0 out of allowed range , line"),
        ("list", replaced(r'mediaRange="\d+-', 'mediaRange="x-'), "must have the form first-last"),
        ("list", replaced(r'(mediaRange="\d+-\d+)', r"\g<1>000"), "is not inside the file"),
        ("list", replaced(r"<SegmentURL[^>]*>", ""), "differ: 2 and 3 segments"),
        (
            "list",
            replaced(r"<SegmentList.*?</SegmentList>", ""),
            "expected SegmentTemplate, SegmentList or SegmentBase",
        ),
        ("list", replaced(r"<Initialization[^>]*>", ""), "must have an Initialization element"),
        ("base", replaced(r'indexRange="(\d+)-\d+"', r'indexRange="0-\1"'), "expected a box at byte"),
        ("base", replaced(r'indexRange="\d+-\d+"', ""), "must have an indexRange"),
        ("template by number", replaced(r"\$Number%05d\$", "$Time$"), "no such file"),
        ("template by number", replaced("init.mp4", "$Number$.mp4"), "is not allowed here"),
        ("template by number", replaced(r'duration="\d+"', 'duration="0"'), "must be an integer of at least 1"),
        (
            "template by number",
            replaced(r'duration="\d+"', 'duration="1" timescale="1000000000"'),
            "must have at most|redefined",
        ),
        ("template by time", replaced(r' r="1"', ' r="999999999"'), "must have at most"),
        ("template by time", replaced(r'd="25600"', 'd="-1"'), "must be an integer of at least 1"),
        ("template by time", replaced(r'd="25600"', f'd="{"9" * 5000}"'), "must be an integer of at least 1"),
        ("template by time", replaced(r' r="1"', ' r="once"'), "r must be an integer"),
        ("template by time", replaced(r"<S t=.*?</SegmentTimeline>", "</SegmentTimeline>"), "at least one segment"),
        (
            "template by time",
            replaced(r' r="1" />\s*<S d=', ' r="-1" /><S t="later" d='),
            "t must be an integer of at least 0",
        ),
        ("list", replaced(r'(?s)(<Representation .*?bandwidth=)"\d+"', r'\1"fast"'), "bandwidth must be an integer"),
        (
            "list",
            replaced(r'mediaPresentationDuration="[^"]*"', f'mediaPresentationDuration="PT{"9" * 5000}S"'),
            "must state a duration such as",
        ),
    ],
)
def test_what_is_no_ladder_is_refused_with_the_reason(
    edited: Callable[[Addressing, Edit], Path], addressing: Addressing, edit: Edit, reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        read_existing(edited(addressing, edit))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("-r:v:0", "50", "-g:v:0", "100"), "differ: segment 1 has 100 and 50 frames"),
        (("-x264-params", "open-gop=1:bframes=3:b-adapt=0"), "open GOP"),
        (("-c:v", "mpeg4"), "VP9 or AV1 video only"),
    ],
)
def test_media_that_cannot_be_scored_are_refused_with_the_reason(
    tmp_path: Path, options: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        read_existing(make_presentation(tmp_path, "list", *options))


def unchanged(text: str) -> str:
    return text


def test_a_segment_without_a_key_frame_is_refused(edited: Callable[[Addressing, Edit], Path]) -> None:
    mpd = edited("template by number", unchanged)
    media = mpd.parent / "0" / "00002.m4s"
    data = bytearray(media.read_bytes())
    idr_picture = data.index(b"mdat") + 4
    data[idr_picture + 4] = data[idr_picture + 4] & ~0x1F | 1  # the type of its NAL unit: another slice
    media.write_bytes(data)
    with pytest.raises(InputError, match="open GOP"):
        read_existing(mpd)


def test_encrypted_media_that_do_not_say_how_are_refused(edited: Callable[[Addressing, Edit], Path]) -> None:
    mpd = edited("template by number", unchanged)
    initialization = mpd.parent / "1" / "init.mp4"
    initialization.write_bytes(initialization.read_bytes().replace(b"avc1", b"encv"))
    with pytest.raises(InputError, match="encrypted encv box has no sinf box"):
        read_existing(mpd)


def test_a_cut_off_segment_is_refused(edited: Callable[[Addressing, Edit], Path]) -> None:
    mpd = edited("template by number", unchanged)
    media = mpd.parent / "1" / "00003.m4s"
    media.write_bytes(media.read_bytes()[:-1])
    with pytest.raises(InputError, match="states"):
        read_existing(mpd)
