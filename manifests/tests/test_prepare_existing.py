"""Presentations that exist already become VOXEL streams, and stay what they were."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from lxml import etree
from mpd_schema import VOXEL, check_mpd
from presentations import ADDRESSINGS, Addressing, make_presentation
from processes import call
from runs import make_request
from voxel_prepare.analysis.segment_analysis import SegmentAnalysis
from voxel_prepare.byte_ranges import merged
from voxel_prepare.inspect.described import read_described
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.manifest.existing import ExistingRepresentation, read_existing
from voxel_prepare.manifest.index_file import INDEX_SCHEME, INDEX_SCHEMES, read_index


def all_files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def index_of(representation: ExistingRepresentation) -> list[SegmentAnalysis | None]:
    """Its URL is relative to the representation's base URL, as for all players."""
    (element,) = representation.element.findall(f"{{*}}SupplementalProperty[@schemeIdUri='{INDEX_SCHEME}']")
    return read_index((representation.folder / unquote(str(element.get("value")))).read_bytes())


def addresses(representation: ExistingRepresentation) -> list[tuple[Path, object]]:
    of_all = [representation.addresses.initialization, *representation.addresses.segments]
    return [(address.path.resolve(), address.range) for address in of_all]


def moved_up(mpd: Path) -> Path:
    """A copy in the folder that contains the MPD's and that of the media: only from there may it name both."""
    copy = mpd.parents[1] / mpd.name
    copy.write_text(mpd.read_text().replace("<BaseURL>../", "<BaseURL>"))
    return copy


@pytest.mark.parametrize("addressing", ADDRESSINGS)
def test_media_and_addressing_stay_and_indexes_are_added(tmp_path: Path, addressing: Addressing) -> None:
    mpd = make_presentation(tmp_path / "ladder", addressing, frames=20)
    before, plain = all_files(mpd.parent), read_existing(mpd)
    prepare(make_request(mpd, out=tmp_path / "voxel out", media="existing"))
    assert all_files(mpd.parent) == before
    check_mpd(tmp_path / "voxel out" / "manifest.mpd")
    assert len(read_described(tmp_path / "voxel out")) == 2

    indexed = read_existing(moved_up(tmp_path / "voxel out" / "manifest.mpd"))
    assert list(map(addresses, indexed.representations)) == list(map(addresses, plain.representations))
    for representation in indexed.representations:
        assert float(representation.element.get(f"{{{VOXEL}}}avgSSIM", "0")) > 0.5
        for address, analysis in zip(representation.addresses.segments, index_of(representation), strict=True):
            assert analysis is not None
            assert analysis.range == address.range
            assert merged([*analysis.reliable, *analysis.unreliable]) == [address.range]
            assert analysis.unreliable
            assert analysis.steps[0].score < analysis.steps[-1].score


def test_the_new_mpd_may_lie_beside_the_old_one_and_be_made_again(tmp_path: Path) -> None:
    mpd = make_presentation(tmp_path, "template by number", frames=20)
    results = [call("--copy", mpd, "--out", tmp_path) for _ in range(2)]
    assert [result.returncode for result in results] == [0, 0]
    assert "reusing 2 of 2 representations from an earlier run" in results[1].stderr
    text = (tmp_path / "manifest.mpd").read_text()
    assert text.count(INDEX_SCHEME) == 2
    assert "BaseURL" not in text

    # The index of one representation as if an earlier voxel-prepare had named it.
    (tmp_path / "manifest.mpd").write_text(text.replace(INDEX_SCHEME, INDEX_SCHEMES[-1], 1))
    again = call("--copy", tmp_path / "manifest.mpd", "--out", tmp_path / "again")
    assert again.returncode == 0
    assert (tmp_path / "again" / "manifest.mpd").read_text().count(INDEX_SCHEME) == 2
    assert INDEX_SCHEMES[-1] not in (tmp_path / "again" / "manifest.mpd").read_text()


def test_listed_segments_get_attributes_where_they_are_asked_for(tmp_path: Path) -> None:
    mpd = make_presentation(tmp_path / "ladder", "list", frames=20)
    prepare(make_request(mpd, out=tmp_path / "out", media="existing", facts="index and attributes"))
    tree = etree.parse(tmp_path / "out" / "manifest.mpd")
    urls = tree.findall(".//{*}AdaptationSet[@contentType='video']//{*}SegmentURL")
    assert len(urls) == 6
    assert all(url.get(f"{{{VOXEL}}}ssims") and url.get(f"{{{VOXEL}}}reliable") for url in urls)
    check_mpd(tmp_path / "out" / "manifest.mpd")


def test_what_is_added_to_an_mpd_stands_where_the_schema_wants_it(tmp_path: Path) -> None:
    mpd = make_presentation(tmp_path / "ladder", "list", frames=20)
    foreign = 'xmlns:voxel="urn:other" xmlns:unused="urn:unused"'
    text = mpd.read_text().replace("<ProgramInformation>", "<!-- by a packager --><ProgramInformation>")
    text = re.sub("<MPD ", f'<MPD {foreign} voxel:made="by a packager" ', text)
    descriptor = '<InbandEventStream schemeIdUri="urn:scte:scte35:2013:bin"/><Label>low</Label>'
    mpd.write_text(text.replace("<BaseURL>", f"{descriptor}<BaseURL>"))
    prepare(make_request(mpd, out=tmp_path / "out", media="existing"))
    written = tmp_path / "out" / "manifest.mpd"
    check_mpd(written)
    root = etree.parse(written).getroot()
    assert root.nsmap.items() >= {"voxel": "urn:other", "unused": "urn:unused", "voxel-": VOXEL}.items()
    assert written.read_text().count(VOXEL) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--copy", "manifest.mpd", "--out", "."], "the output must not overwrite the input"),
        (["--copy", "manifest.mpd", "manifest.mpd", "--out", "out"], "expected one MPD, got 2 inputs"),
        (["--copy", "missing.mpd", "--out", "out"], "missing.mpd: no such file"),
        (["--copy", "bad.mpd", "--out", "out"], "bad.mpd: not an MPD"),
    ],
)
def test_a_bad_mpd_is_reported_in_one_line(
    tmp_path: Path, arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "manifest.mpd").write_text("<MPD/>")
    (tmp_path / "bad.mpd").write_text("<MPD")
    monkeypatch.chdir(tmp_path)
    result = call(*arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
