"""What the manifest says, and what it leaves to the index."""

import shutil
from pathlib import Path

from lxml import etree
from manifest_reader import read_manifest
from runs import make_request
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.manifest.index_file import INDEX_SCHEME
from voxel_prepare.media.ladder import parse_representations

PLAIN_SHARE = 1.2
"""How much larger than a plain one the manifest may be (issue 3)."""


def test_the_manifest_is_hardly_larger_than_a_plain_one(prepared: Path) -> None:
    root = etree.parse(prepared / "manifest.mpd").getroot()
    with_index = len(etree.tostring(root))
    for representation in root.iter("{*}Representation"):
        del representation.attrib["avgSSIM"]
        (index,) = representation.findall("{*}SupplementalProperty")
        assert index.get("schemeIdUri") == INDEX_SCHEME
        representation.remove(index)
    assert with_index <= PLAIN_SHARE * len(etree.tostring(root))


def test_attributes_say_what_the_index_says(prepared: Path, clip: Path, tmp_path: Path) -> None:
    out = shutil.copytree(prepared, tmp_path / "out")
    representations = tuple(parse_representations("144p,240p:0.37"))
    prepare(make_request(clip, out=out, slices=2, representations=representations, facts="index and attributes"))
    inline = etree.parse(out / "manifest.mpd").getroot()
    assert len(list(inline.iter("{*}SegmentURL"))) == sum(url.get("ssims") is not None for url in inline.iter())
    assert [representation.segments for representation in read_manifest(out)] == [
        representation.segments for representation in read_manifest(prepared)
    ]
