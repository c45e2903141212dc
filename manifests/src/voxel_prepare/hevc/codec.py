"""HEVC as a codec whose frames can be removed."""

from collections.abc import Sequence
from dataclasses import dataclass

from voxel_prepare.annex_b import to_sample
from voxel_prepare.byte_ranges import EVERYTHING, Received
from voxel_prepare.errors import MalformedStream, MisalignedSegments
from voxel_prepare.hevc.configuration import LEAST_BYTES, codec_string, to_configuration
from voxel_prepare.hevc.dependencies import read_dependencies
from voxel_prepare.hevc.nal import BLA_W_LP, CRA, read_nal_units
from voxel_prepare.isobmff import Buffer, Sample
from voxel_prepare.repair.codec import Codec, DependentFrame


@dataclass(frozen=True)
class Hevc(Codec):
    """`configuration` is an HEVCDecoderConfigurationRecord."""

    name = "hevc"
    decoder = "hevc"
    title = "HEVC"
    sample_entries = ("hvc1", "hev1")
    configuration_box = "hvcC"
    least_configuration = LEAST_BYTES

    @classmethod
    def encoded(cls, extradata: bytes) -> "Hevc":
        return cls(to_configuration(extradata))

    def to_sample(self, packet: bytes) -> bytes:
        return to_sample(packet)

    def codecs(self, sample_entry: str) -> str:
        return codec_string(sample_entry, self.configuration)

    def check_start(self, data: Buffer, sample: Sample) -> None:
        """Looks at types of NAL units only."""
        length_size = (self.configuration[21] & 3) + 1
        try:
            units = read_nal_units(length_size, data, sample.offset, sample.offset + sample.size)
            first = next((unit for unit in units if unit.is_slice), None)
        except MalformedStream:
            first = None
        if first is not None and BLA_W_LP < first.type < CRA:
            return
        if first is not None and first.is_irap:  # pictures before it in time may refer to what was before
            raise MisalignedSegments("every segment must start with an IDR picture, found another key frame (open GOP)")
        raise MisalignedSegments("every segment must start with a key frame, found another frame")

    def dependencies(
        self, segment: Buffer, samples: Sequence[Sample], clear: Received = EVERYTHING
    ) -> list[DependentFrame]:
        return read_dependencies(self.configuration, segment, samples, clear)
