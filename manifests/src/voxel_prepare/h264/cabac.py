"""CABAC encoding of a slice in which every macroblock is skipped (H.264 §9.3)."""

from functools import lru_cache

from voxel_prepare.bits import BitWriter

SKIP_CONTEXT_INIT = {
    "P": ((23, 33), (22, 25), (29, 16)),
    "B": ((18, 64), (26, 34), (20, 40)),
}
"""(m, n) of mb_skip_flag by cabac_init_idc, for ctxIdx 11 in P and 24 in B slices (H.264 table 9-13).

ctxIdxInc is always 0: the neighbours are skipped or not available.
"""

# Range of the least probable symbol by state and quarter of the interval (H.264 table 9-44).
# fmt: off
LPS_RANGE = (
    (128, 176, 208, 240), (128, 167, 197, 227), (128, 158, 187, 216), (123, 150, 178, 205), (116, 142, 169, 195),
    (111, 135, 160, 185), (105, 128, 152, 175), (100, 122, 144, 166), (95, 116, 137, 158), (90, 110, 130, 150),
    (85, 104, 123, 142), (81, 99, 117, 135), (77, 94, 111, 128), (73, 89, 105, 122), (69, 85, 100, 116),
    (66, 80, 95, 110), (62, 76, 90, 104), (59, 72, 86, 99), (56, 69, 81, 94), (53, 65, 77, 89),
    (51, 62, 73, 85), (48, 59, 69, 80), (46, 56, 66, 76), (43, 53, 63, 72), (41, 50, 59, 69),
    (39, 48, 56, 65), (37, 45, 54, 62), (35, 43, 51, 59), (33, 41, 48, 56), (32, 39, 46, 53),
    (30, 37, 43, 50), (29, 35, 41, 48), (27, 33, 39, 45), (26, 31, 37, 43), (24, 30, 35, 41),
    (23, 28, 33, 39), (22, 27, 32, 37), (21, 26, 30, 35), (20, 24, 29, 33), (19, 23, 27, 31),
    (18, 22, 26, 30), (17, 21, 25, 28), (16, 20, 23, 27), (15, 19, 22, 25), (14, 18, 21, 24),
    (14, 17, 20, 23), (13, 16, 19, 22), (12, 15, 18, 21), (12, 14, 17, 20), (11, 14, 16, 19),
    (11, 13, 15, 18), (10, 12, 15, 17), (10, 12, 14, 16), (9, 11, 13, 15), (9, 11, 12, 14),
    (8, 10, 12, 14), (8, 9, 11, 13), (7, 9, 11, 12), (7, 9, 10, 12), (7, 8, 10, 11),
    (6, 8, 9, 11), (6, 7, 9, 10), (6, 7, 8, 9),
)
# Next state after a least probable symbol (H.264 table 9-45).
NEXT_STATE_LPS = (
    0, 0, 1, 2, 2, 4, 4, 5, 6, 7, 8, 9, 9, 11, 11, 12, 13, 13, 15, 15, 16,
    16, 18, 18, 19, 19, 21, 21, 22, 22, 23, 24, 24, 25, 26, 26, 27, 27, 28, 29, 29, 30,
    30, 30, 31, 32, 32, 33, 33, 33, 34, 34, 35, 35, 35, 36, 36, 36, 37, 37, 37, 38, 38,
)
# fmt: on

LAST_STATE = 62
"""The most skewed adaptive state; 63 is the terminating one."""


class CabacEncoder:
    """Arithmetic encoder with one adaptive context (H.264 §9.3.4.2)."""

    def __init__(self, pre_context_state: int) -> None:
        """`pre_context_state`: preCtxState of §9.3.1.1, 1 to 126."""
        self._writer = BitWriter()
        self._low = 0
        self._range = 510
        self._outstanding = 0
        self._is_first_bit = True
        self._most_probable = int(pre_context_state > 63)
        self._state = pre_context_state - 64 if self._most_probable else 63 - pre_context_state

    def encode(self, bit: int) -> None:
        """Encodes a decision with the context."""
        least_range = LPS_RANGE[self._state][self._range >> 6 & 3]
        self._range -= least_range
        if bit == self._most_probable:
            self._state = min(self._state + 1, LAST_STATE)
        else:
            self._low += self._range
            self._range = least_range
            if self._state == 0:
                self._most_probable ^= 1
            self._state = NEXT_STATE_LPS[self._state]
        self._renormalise()

    def continue_slice(self) -> None:
        """Encodes end_of_slice_flag 0."""
        self._range -= 2
        self._renormalise()

    def finish(self) -> bytes:
        """Encodes end_of_slice_flag 1 and flushes; the last bit written is the rbsp_stop_one_bit."""
        self._low += self._range - 2
        self._range = 2
        self._renormalise()
        self._put(self._low >> 9 & 1)
        self._writer.bits(self._low >> 7 & 3 | 1, 2)
        self._writer.align(0)
        return self._writer.to_bytes()

    def _renormalise(self) -> None:
        while self._range < 256:
            if self._low < 256:
                self._put(0)
            elif self._low >= 512:
                self._low -= 512
                self._put(1)
            else:
                self._low -= 256
                self._outstanding += 1
            self._range <<= 1
            self._low <<= 1

    def _put(self, bit: int) -> None:
        if self._is_first_bit:  # the first bit is always 0 and not written (§9.3.4.2)
            self._is_first_bit = False
        else:
            self._writer.bits(bit, 1)
        for _ in range(self._outstanding):
            self._writer.bits(1 - bit, 1)
        self._outstanding = 0


@lru_cache(maxsize=4096)
def skipped_macroblocks(slice_type: str, cabac_init_idc: int, qp: int, macroblocks: int) -> bytes:
    """Slice data after cabac_alignment_one_bits and the trailing bits, unescaped; `macroblocks` ≥ 1 all skipped.

    It depends on nothing else in the slice, so that slices alike share it.
    """
    m, n = SKIP_CONTEXT_INIT[slice_type][cabac_init_idc]
    clipped_qp = min(51, max(0, qp))
    encoder = CabacEncoder(min(126, max(1, (m * clipped_qp >> 4) + n)))
    for _ in range(macroblocks - 1):
        encoder.encode(1)
        encoder.continue_slice()
    encoder.encode(1)
    return encoder.finish()
