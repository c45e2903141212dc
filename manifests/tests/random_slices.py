"""Random parameter sets and slices for tests: every branch of their syntax, biased to values that need escaping."""

from dataclasses import dataclass
from random import Random
from typing import get_args

from voxel_prepare.bits import BitWriter
from voxel_prepare.emulation_prevention import escape
from voxel_prepare.h264.parameter_sets import CHROMA_FORMAT_PROFILES, PictureParameterSet, SequenceParameterSet
from voxel_prepare.h264.slice_header import NAL_IDR_SLICE, SliceType

PROFILES = (66, 77, 88, 100, 110)
SLICE_TYPE_CODES: dict[SliceType, int] = {"P": 0, "B": 1, "I": 2}
MARKING_ARGUMENTS = {1: 1, 2: 1, 3: 2, 4: 1, 5: 0, 6: 1}
SLICE_DATA_BYTES = 64
"""Length of the random slice data after a header; its bytes mean nothing."""


@dataclass(frozen=True, slots=True)
class RandomSlice:
    """A slice NAL unit, what its parser must find, and the `avcC` that it belongs to."""

    avcc: bytes
    nal: bytes
    type: SliceType
    cabac: bool
    first_mb: int
    macroblocks: int
    cabac_init_idc: int
    qp: int
    header_bits: int
    header_bytes: int


def random_slice(random: Random) -> RandomSlice:
    """A slice of a stream of its own."""
    sps = _random_sps(random)
    pps = _random_pps(random, sps)
    profile = random.choice(PROFILES if sps.luma_bit_depth == 8 else (110,))
    sets = [_write_sps(random, sps, profile), _write_pps(random, pps)]
    avcc = bytes((1, profile, 0, 40, 0xFF)) + b"".join(
        bytes((count,)) + len(nal).to_bytes(2, "big") + nal for count, nal in zip((0xE1, 1), sets, strict=True)
    )
    first_mb = random.choice((0, random.randrange(sps.picture_macroblocks)))
    macroblocks = random.randint(1, sps.picture_macroblocks - first_mb)
    return _SliceWriter(random, pps).write(avcc, first_mb, macroblocks)


def _random_sps(random: Random) -> SequenceParameterSet:
    poc_type = random.randrange(3)
    return SequenceParameterSet(
        id=random.randrange(32),
        luma_bit_depth=random.choice((8, 8, 8, 10)),
        frame_num_bits=random.randint(4, 16),
        poc_type=poc_type,
        poc_lsb_bits=random.randint(4, 16) if poc_type == 0 else 0,
        delta_poc_always_zero=random.random() < 0.5 if poc_type == 1 else True,
        width_in_macroblocks=random.randint(1, 80),
        height_in_macroblocks=random.randint(1, 45),
    )


def _random_pps(random: Random, sps: SequenceParameterSet) -> PictureParameterSet:
    return PictureParameterSet(
        id=random.randrange(256),
        sps=sps,
        cabac=random.random() < 0.7,
        poc_delta_present=random.random() < 0.3,
        default_references=(random.randint(1, 32), random.randint(1, 32)),
        weighted_prediction=random.random() < 0.5,
        weighted_biprediction=random.randrange(3),
        initial_qp=random.randint(0, 51),
        deblocking_control_present=random.random() < 0.5,
        redundant_pictures_present=random.random() < 0.2,
    )


def _write_sps(random: Random, sps: SequenceParameterSet, profile: int) -> bytes:
    writer = BitWriter()
    writer.bits(0x67, 8)
    writer.bits(profile, 8)
    writer.bits(40, 16)  # no constraints, level 4
    writer.ue(sps.id)
    if profile in CHROMA_FORMAT_PROFILES:
        writer.ue(1)  # 4:2:0
        writer.ue(sps.luma_bit_depth - 8)
        writer.ue(sps.luma_bit_depth - 8)
        writer.bits(0, 1)
        _write_scaling_lists(random, writer)
    writer.ue(sps.frame_num_bits - 4)
    writer.ue(sps.poc_type)
    if sps.poc_type == 0:
        writer.ue(sps.poc_lsb_bits - 4)
    elif sps.poc_type == 1:
        writer.bits(sps.delta_poc_always_zero, 1)
        writer.se(_signed(random))
        writer.se(_signed(random))
        offsets = random.randint(0, 5)
        writer.ue(offsets)
        for _ in range(offsets):
            writer.se(_signed(random))
    writer.ue(random.randint(0, 16))  # max_num_ref_frames
    writer.bits(random.getrandbits(1), 1)
    writer.ue(sps.width_in_macroblocks - 1)
    writer.ue(sps.height_in_macroblocks - 1)
    writer.bits(0b1100, 4)  # frames only, direct 8×8 inference, no cropping, no VUI
    return _finish(writer)


def _write_scaling_lists(random: Random, writer: BitWriter) -> None:
    present = random.getrandbits(1)
    writer.bits(present, 1)
    for size in ((16,) * 6 + (64,) * 2) * present:
        if random.getrandbits(1):
            writer.bits(0, 1)
            continue
        writer.bits(1, 1)
        last = 8
        for _ in range(size):
            following = random.choice((0, *range(1, 256)) if random.random() < 0.2 else range(1, 256))
            writer.se((following - last + 128) % 256 - 128)
            if following == 0:
                break
            last = following


def _write_pps(random: Random, pps: PictureParameterSet) -> bytes:
    writer = BitWriter()
    writer.bits(0x68, 8)
    writer.ue(pps.id)
    writer.ue(pps.sps.id)
    writer.bits(pps.cabac, 1)
    writer.bits(pps.poc_delta_present, 1)
    writer.ue(0)  # one slice group
    writer.ue(pps.default_references[0] - 1)
    writer.ue(pps.default_references[1] - 1)
    writer.bits(pps.weighted_prediction, 1)
    writer.bits(pps.weighted_biprediction, 2)
    writer.se(pps.initial_qp - 26)
    writer.se(0)
    writer.se(random.randint(-12, 12))
    writer.bits(pps.deblocking_control_present, 1)
    writer.bits(random.getrandbits(1), 1)
    writer.bits(pps.redundant_pictures_present, 1)
    return _finish(writer)


class _SliceWriter:
    """Writes one slice of a picture."""

    def __init__(self, random: Random, pps: PictureParameterSet) -> None:
        self._random = random
        self._pps = pps
        self._writer = BitWriter()
        self._type: SliceType = random.choice(get_args(SliceType))
        self._is_idr = self._type == "I" and random.random() < 0.5
        self._is_reference = self._is_idr or random.random() < 0.5

    def write(self, avcc: bytes, first_mb: int, macroblocks: int) -> RandomSlice:
        random, writer, pps = self._random, self._writer, self._pps
        qp = random.randint(-6 * (pps.sps.luma_bit_depth - 8), 51)
        cabac_init_idc = random.randrange(3) if pps.cabac and self._type != "I" else 0
        writer.bits((0x60 if self._is_reference else 0) | (NAL_IDR_SLICE if self._is_idr else 1), 8)
        writer.ue(first_mb)
        writer.ue(SLICE_TYPE_CODES[self._type] + random.choice((0, 5)))
        writer.ue(pps.id)
        writer.bits(random.choice((0, random.getrandbits(pps.sps.frame_num_bits))), pps.sps.frame_num_bits)
        if self._is_idr:
            writer.ue(random.choice((0, 65535)))
        self._write_picture_order_count()
        if pps.redundant_pictures_present:
            writer.ue(0)
        if self._type != "I":
            self._write_references()
        if self._is_reference:
            self._write_marking()
        if pps.cabac and self._type != "I":
            writer.ue(cabac_init_idc)
        writer.se(qp - pps.initial_qp)
        if pps.deblocking_control_present:
            self._write_deblocking()
        header_bits = writer.position
        writer.align(1)
        rbsp = writer.to_bytes()
        data = bytes(random.choices((0, 1, 3, 255), k=SLICE_DATA_BYTES)) + b"\x80"
        return RandomSlice(
            avcc=avcc,
            nal=escape(rbsp + data),
            type=self._type,
            cabac=pps.cabac,
            first_mb=first_mb,
            macroblocks=macroblocks,
            cabac_init_idc=cabac_init_idc,
            qp=qp,
            header_bits=header_bits,
            header_bytes=len(escape(rbsp)),
        )

    def _write_picture_order_count(self) -> None:
        sps, random = self._pps.sps, self._random
        if sps.poc_type == 0:
            self._writer.bits(random.choice((0, random.getrandbits(sps.poc_lsb_bits))), sps.poc_lsb_bits)
        elif sps.delta_poc_always_zero:
            return
        else:
            self._writer.se(_signed(random))
        if self._pps.poc_delta_present:
            self._writer.se(_signed(random))

    def _write_references(self) -> None:
        random, writer = self._random, self._writer
        lists = 2 if self._type == "B" else 1
        if self._type == "B":
            writer.bits(random.getrandbits(1), 1)  # direct_spatial_mv_pred_flag
        references = list(self._pps.default_references[:lists])
        override = random.getrandbits(1)
        writer.bits(override, 1)
        if override:
            references = [random.randint(1, 32) for _ in range(lists)]
            for count in references:
                writer.ue(count - 1)
        for count in references:
            modifications = random.choice((0, random.randint(1, count)))
            writer.bits(modifications > 0, 1)
            for _ in range(modifications):
                writer.ue(random.randrange(3))
                writer.ue(_unsigned(random))
            if modifications:
                writer.ue(3)
        if self._pps.weighted_biprediction == 1 if self._type == "B" else self._pps.weighted_prediction:
            self._write_weights(sum(references))

    def _write_weights(self, references: int) -> None:
        self._writer.ue(self._random.randrange(8))
        self._writer.ue(self._random.randrange(8))
        for _ in range(references):
            for values in (2, 4):
                present = self._random.getrandbits(1)
                self._writer.bits(present, 1)
                for _ in range(values * present):
                    self._writer.se(self._random.randint(-128, 127))

    def _write_marking(self) -> None:
        random, writer = self._random, self._writer
        if self._is_idr:
            writer.bits(random.getrandbits(2), 2)
            return
        operations = random.choices(tuple(MARKING_ARGUMENTS), k=random.choice((0, random.randint(1, 8))))
        writer.bits(bool(operations), 1)
        for operation in operations:
            writer.ue(operation)
            for _ in range(MARKING_ARGUMENTS[operation]):
                writer.ue(_unsigned(random))
        if operations:
            writer.ue(0)

    def _write_deblocking(self) -> None:
        disable = self._random.randrange(3)
        self._writer.ue(disable)
        if disable != 1:
            self._writer.se(self._random.randint(-6, 6))
            self._writer.se(self._random.randint(-6, 6))


def _unsigned(random: Random) -> int:
    """Often one whose code has a long run of zeros."""
    return random.choice((0, random.randrange(64), (1 << random.randint(16, 31)) - 1))


def _signed(random: Random) -> int:
    return random.choice((0, random.randint(-300, 300), -(1 << 30), 1 << 30))


def _finish(writer: BitWriter) -> bytes:
    """The NAL unit, closed with its trailing bits."""
    writer.bits(1, 1)
    writer.align(0)
    return escape(writer.to_bytes())
