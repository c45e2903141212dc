"""VP9 as a codec whose frames can be removed."""

from collections.abc import Sequence
from dataclasses import dataclass

from voxel_prepare.byte_ranges import EVERYTHING, Received
from voxel_prepare.errors import MalformedStream, MisalignedSegments, UnsupportedStream
from voxel_prepare.isobmff import Buffer, Sample
from voxel_prepare.repair.codec import Codec, DependentFrame
from voxel_prepare.repair.superframe import superframe_ranges
from voxel_prepare.vp9.configuration import LEAST_BYTES, codec_string
from voxel_prepare.vp9.dependencies import read_dependencies
from voxel_prepare.vp9.frame_header import parse_frame_header


@dataclass(frozen=True)
class Vp9(Codec):
    """`configuration` is the payload of a VPCodecConfigurationBox."""

    name = "vp9"
    decoder = "vp9"
    title = "VP9"
    sample_entries = ("vp09",)
    configuration_box = "vpcC"
    least_configuration = LEAST_BYTES

    @classmethod
    def encoded(cls, extradata: bytes) -> "Vp9":
        raise UnsupportedStream("VP9 encoders put out nothing beforehand that describes their stream")

    def to_sample(self, packet: bytes) -> bytes:
        return packet

    def codecs(self, sample_entry: str) -> str:
        return codec_string(sample_entry, self.configuration)

    def check_start(self, data: Buffer, sample: Sample) -> None:
        try:
            content = bytes(data[sample.offset : sample.offset + sample.size])
            is_key = parse_frame_header(content, superframe_ranges(content)[0]).is_key
        except MalformedStream:
            is_key = False
        if not is_key:
            raise MisalignedSegments("every segment must start with a key frame, found another frame")

    def dependencies(
        self, segment: Buffer, samples: Sequence[Sample], clear: Received = EVERYTHING
    ) -> list[DependentFrame]:
        return read_dependencies(segment, samples, clear)
