"""What the manifest says, and what it leaves to the index."""

import shutil
from fractions import Fraction
from pathlib import Path
from typing import get_args

import pytest
from analyses import make_analysis
from lxml import etree
from manifest_reader import read_manifest
from mpd_schema import SCHEMA_VARIABLE, VOXEL, check_mpd, find_schema, load_schema
from runs import make_request
from voxel_prepare.analysis.segment_analysis import Metric
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.manifest.index_file import INDEX_SCHEME
from voxel_prepare.manifest.mpd import AudioFile, MediaFile, Presentation, VideoFile, write_mpd
from voxel_prepare.manifest.mpd_file import FactsPlace
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.ladder import parse_representations

PLAIN_SHARE = 1.2
"""How much larger than a plain one the manifest may be (issue 3)."""


def test_the_manifest_is_hardly_larger_than_a_plain_one(prepared: Path) -> None:
    root = etree.parse(prepared / "manifest.mpd").getroot()
    with_index = len(etree.tostring(root))
    for representation in root.iter("{*}Representation"):
        del representation.attrib[f"{{{VOXEL}}}avgSSIM"]
        (index,) = representation.findall("{*}SupplementalProperty")
        assert index.get("schemeIdUri") == INDEX_SCHEME
        representation.remove(index)
    assert with_index <= PLAIN_SHARE * len(etree.tostring(root))


def test_attributes_say_what_the_index_says(prepared: Path, clip: Path, tmp_path: Path) -> None:
    out = shutil.copytree(prepared, tmp_path / "out")
    representations = tuple(parse_representations("144p,240p:0.37"))
    prepare(make_request(clip, out=out, slices=2, representations=representations, facts="index and attributes"))
    inline = etree.parse(out / "manifest.mpd").getroot()
    assert len(list(inline.iter("{*}SegmentURL"))) == sum(
        url.get(f"{{{VOXEL}}}ssims") is not None for url in inline.iter()
    )
    assert [representation.segments for representation in read_manifest(out)] == [
        representation.segments for representation in read_manifest(prepared)
    ]


def media_file(id_: str, codecs: str) -> MediaFile:
    return MediaFile(id_, f"{id_}.mp4", codecs, ByteRange(0, 757), [ByteRange(757, 900), ByteRange(900, 1000)])


def presentation(metric: Metric = Metric.SSIM, *, rate: str = "25", language: str = "deu") -> Presentation:
    """Two segments of made-up pictures and sound."""
    analyses = [make_analysis([[(20, 80)]], [0], metric=metric)] * 2
    segment = SegmentDuration.nearest(2, Fraction(rate))
    return Presentation(
        duration=2 * segment.seconds,
        segment=segment,
        ladders=[[VideoFile(media_file("q00", "avc1.64000C"), 256, 144, analyses, "q00.index")]],
        audio=[AudioFile(media_file("audio-0", "mp4a.40.2"), language, 48_000, 2)],
    )


WRITTEN = [
    *((presentation(metric), facts) for metric in Metric for facts in get_args(FactsPlace)),
    *((presentation(rate=rate), "index") for rate in ("30000/1001", "12.5", "997/1001")),
    *((presentation(language=language), "index") for language in ("en-GB", "", "not a language", "d\u00e4n", "x" * 20)),
]


@pytest.mark.parametrize(("content", "facts"), WRITTEN)
def test_what_is_written_is_valid(content: Presentation, facts: FactsPlace) -> None:
    check_mpd(write_mpd(content, facts))


def test_a_prepared_manifest_is_valid(prepared: Path) -> None:
    check_mpd(prepared / "manifest.mpd")


def test_the_schema_of_mpeg_accepts_what_is_written(prepared: Path) -> None:
    path = find_schema()
    if path is None:
        pytest.skip(f"no DASH-MPD.xsd in ../shared/data, nor named by {SCHEMA_VARIABLE}")
    schema = load_schema(path)
    for mpd in (write_mpd(content, facts) for content, facts in WRITTEN):
        schema.assertValid(etree.fromstring(mpd))
    schema.assertValid(etree.parse(prepared / "manifest.mpd"))
    with_plain_name = (prepared / "manifest.mpd").read_text().replace("voxel:avgSSIM", "avgSSIM")
    assert not schema.validate(etree.fromstring(with_plain_name.encode()))


def test_the_attributes_have_the_namespace_that_the_root_declares_as_voxel(prepared: Path) -> None:
    text = (prepared / "manifest.mpd").read_text()
    assert text.count(f'xmlns:voxel="{VOXEL}"') == text.count("xmlns:voxel") == 1
    assert text.count(" voxel:avgSSIM=") == 2
