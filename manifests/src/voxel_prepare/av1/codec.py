"""AV1 as a codec whose frames can be removed."""

from collections.abc import Sequence
from dataclasses import dataclass

from voxel_prepare.av1.configuration import LEAST_BYTES, codec_string, to_configuration
from voxel_prepare.av1.dependencies import read_dependencies
from voxel_prepare.av1.frame_header import KEY
from voxel_prepare.av1.obu import FRAME, FRAME_HEADER, TEMPORAL_DELIMITER, read_obus
from voxel_prepare.byte_ranges import EVERYTHING, Received
from voxel_prepare.errors import MalformedStream, MisalignedSegments
from voxel_prepare.isobmff import Buffer, Sample
from voxel_prepare.repair.codec import Codec, DependentFrame

SHOWN_KEY = KEY << 1 | 1
"""The first four bits of the header of a key frame that is shown (AV1 §5.9.2)."""


@dataclass(frozen=True)
class Av1(Codec):
    """`configuration` is an AV1CodecConfigurationRecord."""

    name = "av1"
    decoder = "libdav1d"
    title = "AV1"
    sample_entries = ("av01",)
    configuration_box = "av1C"
    least_configuration = LEAST_BYTES

    @classmethod
    def encoded(cls, extradata: bytes) -> "Av1":
        return cls(to_configuration(extradata))

    def to_sample(self, packet: bytes) -> bytes:
        """All but the temporal delimiter, which samples lack (AV1 Codec ISO Media File Format Binding §2.4)."""
        kept = (obu for obu in read_obus(packet, 0, len(packet)) if obu.type != TEMPORAL_DELIMITER)
        return b"".join(packet[obu.start : obu.end] for obu in kept)

    def codecs(self, sample_entry: str) -> str:
        return codec_string(sample_entry, self.configuration)

    def check_start(self, data: Buffer, sample: Sample) -> None:
        """Looks at the first bits of the first frame header only: show_existing_frame, frame_type, show_frame."""
        try:
            obus = read_obus(data, sample.offset, sample.offset + sample.size)
            frame = next((obu for obu in obus if obu.type in (FRAME, FRAME_HEADER) and obu.end > obu.payload), None)
        except MalformedStream:
            frame = None
        if frame is None or data[frame.payload] >> 4 != SHOWN_KEY:
            raise MisalignedSegments("every segment must start with a key frame that is shown, found another frame")

    def dependencies(
        self, segment: Buffer, samples: Sequence[Sample], clear: Received = EVERYTHING
    ) -> list[DependentFrame]:
        return read_dependencies(self.configuration, segment, samples, clear)
