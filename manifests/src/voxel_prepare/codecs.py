"""The codecs that can be repaired. No other module imports from a codec's folder (manifests/tests/test_layers.py)."""

from voxel_prepare.h264.codec import H264
from voxel_prepare.isobmff import Track, UnsupportedMp4
from voxel_prepare.repair.codec import Codec

CODECS: tuple[type[Codec], ...] = (H264,)

TITLES = " or ".join(codec.title for codec in CODECS)
"""Names of the codecs, for messages."""


def codec_named(name: str) -> type[Codec] | None:
    """The codec that FFmpeg calls so."""
    return next((codec for codec in CODECS if codec.name == name), None)


def codec_of(track: Track) -> Codec:
    """The codec of a track. Raises `UnsupportedMp4` for another one, and without the configuration of its decoder."""
    for codec in CODECS:
        configuration = track.entry_boxes.get(codec.configuration_box, b"")
        if track.sample_entry in codec.sample_entries and len(configuration) >= codec.least_configuration:
            return codec(configuration)
    raise UnsupportedMp4(f"expected {TITLES} video, found {track.sample_entry}")
