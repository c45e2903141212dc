"""Elements of an MPD that presentations of every kind have."""

from collections.abc import Sequence
from fractions import Fraction

from lxml import etree

from voxel_prepare.manifest.mpd_file import VOXEL_NAMESPACE, VOXEL_PREFIX

NAMESPACE = "urn:mpeg:dash:schema:mpd:2011"
CHANNEL_CONFIGURATION = "urn:mpeg:dash:23003:3:audio_channel_configuration:2011"


def root(**attributes: str) -> etree._Element:
    """The `MPD` element."""
    return etree.Element(
        f"{{{NAMESPACE}}}MPD",
        attributes,
        nsmap={None: NAMESPACE, VOXEL_PREFIX: VOXEL_NAMESPACE},  # type: ignore[dict-item]  # lxml-stubs forget the default namespace
    )


def child(parent: etree._Element, name: str, **attributes: str) -> etree._Element:
    """A new element, the last one in its parent."""
    return etree.SubElement(parent, f"{{{NAMESPACE}}}{name}", attributes)


def video_set(period: etree._Element, index: int, sizes: Sequence[tuple[int, int]], rate: Fraction) -> etree._Element:
    """An `AdaptationSet` of video; `sizes` of its pictures in pixels, `rate` in frames per second."""
    return child(
        period,
        "AdaptationSet",
        id=str(index),
        contentType="video",
        mimeType="video/mp4",
        segmentAlignment="true",
        startWithSAP="1",
        maxWidth=str(max(width for width, _ in sizes)),
        maxHeight=str(max(height for _, height in sizes)),
        frameRate=str(rate),
    )


def audio_set(period: etree._Element, index: int, language: str) -> etree._Element:
    """The `AdaptationSet` of an audio track."""
    return child(
        period,
        "AdaptationSet",
        id=str(index),
        contentType="audio",
        mimeType="audio/mp4",
        lang=language,
        segmentAlignment="true",
        startWithSAP="1",
    )


def iso_duration(seconds: Fraction | float) -> str:
    """ISO 8601, to the microsecond."""
    return f"PT{float(seconds):.6f}".rstrip("0").rstrip(".") + "S"


def text(mpd: etree._Element) -> bytes:
    """The content of the manifest's file."""
    return etree.tostring(mpd, pretty_print=True, xml_declaration=True, encoding="utf-8")
