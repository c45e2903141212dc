"""Whether a segment starts with an IDR picture, from which decoding can start without any segment before it."""

from voxel_prepare.errors import MisalignedSegments
from voxel_prepare.isobmff import Buffer, Sample

NAL_SLICE, NAL_IDR_SLICE = 1, 5
"""The first and the last type of NAL units with picture data (H.264 table 7-1)."""


def check_start(codec_configuration: bytes, data: Buffer, sample: Sample) -> None:
    """Raises `MisalignedSegments` unless `sample`, the first of a segment, is an IDR picture.

    Looks at types of NAL units only: the stream may be one that repair does not support.
    """
    nal_length_size = (codec_configuration[4] & 3) + 1  # lengthSizeMinusOne, 14496-15 §5.3.3.1
    at = sample.offset
    while at + nal_length_size < sample.offset + sample.size:
        payload = at + nal_length_size
        nal_type = data[payload] & 0x1F
        if nal_type == NAL_IDR_SLICE:
            return
        if NAL_SLICE <= nal_type < NAL_IDR_SLICE:
            break
        at = payload + int.from_bytes(data[at:payload], "big")
    if sample.is_sync:
        raise MisalignedSegments("every segment must start with an IDR picture, found another key frame (open GOP)")
    raise MisalignedSegments("every segment must start with a key frame, found another frame")
