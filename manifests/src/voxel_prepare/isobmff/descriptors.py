"""Descriptors of MPEG-4 systems (ISO/IEC 14496-1 §7.2.6), as an `esds` has them."""

from dataclasses import dataclass

from voxel_prepare.isobmff.boxes import Mp4Error

ES_DESCRIPTOR, DECODER_CONFIG, DECODER_SPECIFIC = 3, 4, 5
AAC = 0x40
"""The object type of AAC (§7.2.6.6.2)."""
FULL_BOX, STREAM_FIELDS, CONFIG_FIELDS = 4, 3, 13
"""Bytes of a full box, an ES_Descriptor and a DecoderConfigDescriptor before what is inside."""
DEPENDS, HAS_URL, HAS_CLOCK = 0x80, 0x40, 0x20
"""Flags of an ES_Descriptor: optional fields are there."""


@dataclass(frozen=True, slots=True)
class DecoderConfig:
    """How a stream is decoded."""

    object_type: int
    specific: bytes
    """The DecoderSpecificInfo, of AAC an AudioSpecificConfig; empty without one."""


def decoder_config(esds: bytes) -> DecoderConfig:
    """The configuration in the payload of an `esds`. Raises `Mp4Error`."""
    stream = _find(esds[FULL_BOX:], ES_DESCRIPTOR)
    if len(stream) < STREAM_FIELDS:
        raise Mp4Error("esds box is too short")
    flags, at = stream[2], STREAM_FIELDS
    if flags & DEPENDS:
        at += 2
    if flags & HAS_URL:
        at += 1 + (stream[at] if at < len(stream) else 0)
    if flags & HAS_CLOCK:
        at += 2
    config = _find(stream[at:], DECODER_CONFIG)
    if len(config) < CONFIG_FIELDS:
        raise Mp4Error("esds box is too short")
    inside = config[CONFIG_FIELDS:]
    return DecoderConfig(config[0], _find(inside, DECODER_SPECIFIC) if inside else b"")


def _find(data: bytes, tag: int) -> bytes:
    """The content of the first descriptor with that tag."""
    at = 0
    while at < len(data):
        found, size = data[at], 0
        at += 1
        for _ in range(4):
            if at >= len(data):
                raise Mp4Error("esds box is too short")
            size, goes_on = size << 7 | data[at] & 0x7F, data[at] & 0x80
            at += 1
            if not goes_on:
                break
        if at + size > len(data):
            raise Mp4Error("esds box is too short")
        if found == tag:
            return data[at : at + size]
        at += size
    raise Mp4Error(f"esds box has no descriptor {tag}")
