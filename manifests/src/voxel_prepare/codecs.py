"""The codecs that there are. No other module imports from a codec's folder (manifests/tests/test_layers.py)."""

from voxel_prepare.av1.codec import Av1
from voxel_prepare.h264.codec import H264
from voxel_prepare.hevc.codec import Hevc
from voxel_prepare.isobmff import SampleDescription, UnsupportedMp4
from voxel_prepare.repair.codec import Codec
from voxel_prepare.vp9.codec import Vp9

CODECS: tuple[type[Codec], ...] = (H264, Hevc, Vp9, Av1)

TITLES = f"{', '.join(codec.title for codec in CODECS[:-1])} or {CODECS[-1].title}"
"""Names of the codecs, for messages."""


def codec_named(name: str) -> type[Codec] | None:
    """The codec that FFmpeg calls so."""
    return next((codec for codec in CODECS if codec.name == name), None)


def codec_of(description: SampleDescription) -> Codec:
    """The codec of samples. Raises `UnsupportedMp4` for another one, and without the configuration of its decoder."""
    for codec in CODECS:
        configuration = description.entry_boxes.get(codec.configuration_box, b"")
        if description.sample_entry in codec.sample_entries and len(configuration) >= codec.least_configuration:
            return codec(configuration, description.sample_entry)
    raise UnsupportedMp4(f"expected {TITLES} video, found {description.sample_entry}")
