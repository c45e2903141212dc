"""The head of a VOXEL request: the same answer however its bytes are divided, and within the limits."""

import re
from collections.abc import Iterable
from http import HTTPStatus

from support.inputs import LIMITS, MOST, pieces
from voxel_serve.errors import HttpError
from voxel_serve.flow import Flow
from voxel_serve.parity import Parity, parse_parity
from voxel_serve.request import RequestReader, VoxelRequest

DATAGRAM_BYTES = 200


def fuzz(data: bytes) -> None:
    whole, divided = _read([data[1:]]), _read(pieces(data))
    assert whole == divided, f"{whole} as a whole, {divided} in pieces"
    if not isinstance(whole, VoxelRequest):
        return
    assert re.fullmatch(r"[!-~]+", whole.target)
    assert whole.ranges is None or 1 <= len(whole.ranges) <= LIMITS.ranges
    assert whole.flow is None or 0 <= whole.flow <= MOST
    assert whole.after is None or 0 <= whole.after <= MOST
    if whole.parity is not None:
        assert parse_parity(str(whole.parity)) == whole.parity
        _send(whole.parity, [600, 400], always=len(data) % 2 == 0)
    assert whole.deadline is None or 0 <= whole.deadline <= MOST / 1000


def _send(parity: Parity, ranges: list[int], *, always: bool) -> None:
    """Parity is never more than the data, filled up to whole symbols."""
    length = sum(ranges)
    flow = Flow(1, length, DATAGRAM_BYTES, parity=parity, ranges=ranges)
    flow.push(bytes(length))
    while flow.peek() is not None:
        flow.commit(lambda: always)
    assert flow.finished
    assert flow.sent_bytes == length
    assert flow.sent_parity_bytes <= length + len(ranges) * DATAGRAM_BYTES


def _read(parts: Iterable[bytes]) -> VoxelRequest | HTTPStatus | None:
    reader = RequestReader(LIMITS)
    try:
        return next((found for part in parts if part and (found := reader.feed(part)) is not None), None)
    except HttpError as error:
        assert error.status in (400, 405, 431), error.status
        return error.status
