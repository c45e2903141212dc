"""The head of a VOXEL request: the same answer however its bytes are divided, and within the limits."""

import re
from collections.abc import Iterable
from http import HTTPStatus

from support.inputs import LIMITS, MOST, pieces
from voxel_serve.errors import HttpError
from voxel_serve.request import RequestReader, VoxelRequest


def fuzz(data: bytes) -> None:
    whole, divided = _read([data[1:]]), _read(pieces(data))
    assert whole == divided, f"{whole} as a whole, {divided} in pieces"
    if not isinstance(whole, VoxelRequest):
        return
    assert re.fullmatch(r"[!-~]+", whole.target)
    assert whole.ranges is None or 1 <= len(whole.ranges) <= LIMITS.ranges
    assert whole.flow is None or 0 <= whole.flow <= MOST
    assert whole.deadline is None or 0 <= whole.deadline <= MOST / 1000


def _read(parts: Iterable[bytes]) -> VoxelRequest | HTTPStatus | None:
    reader = RequestReader(LIMITS)
    try:
        return next((found for part in parts if part and (found := reader.feed(part)) is not None), None)
    except HttpError as error:
        assert error.status in (400, 405, 431), error.status
        return error.status
