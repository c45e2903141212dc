"""The bytes of a response on a VOXEL stream: HTTP/1.1 message syntax (RFC 9112), written by pure functions."""

from collections.abc import Iterable
from http import HTTPStatus

from .cmsd import Figures
from .errors import HttpError
from .parity import Parity

Headers = Iterable[tuple[str, str]]


def encode_head(status: HTTPStatus, headers: Headers) -> bytes:
    """Status line, headers and the blank line after them."""
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *_lines(headers), "", ""]
    return "\r\n".join(lines).encode("latin-1")


def reliable_head(status: HTTPStatus, length: int, etag: str, figures: Figures) -> bytes:
    """The head of a body of `length` bytes that follows on the stream."""
    return encode_head(status, [("content-length", str(length)), *_validator(etag), *_path(figures)])


def unreliable_head(
    status: HTTPStatus, length: int, flow: int, etag: str, figures: Figures, parity: Parity | None = None
) -> bytes:
    """The head of a body of `length` bytes that is sent as datagrams of `flow`; `unreliable_end` follows later.

    `parity`: as far as it is honoured.
    """
    return encode_head(
        status,
        [
            ("x-voxel-unreliable", f"?1;flow={flow}"),
            ("x-voxel-length", str(length)),
            *([] if parity is None else [("x-voxel-parity", str(parity))]),
            *_validator(etag),
            *_path(figures),
            ("transfer-encoding", "chunked"),
            ("trailer", "x-voxel-sent, x-voxel-rtt, cmsd-dynamic"),
        ],
    )


def unreliable_end(sent_bytes: int, datagrams: int, figures: Figures, parity_bytes: int | None = None) -> bytes:
    """The empty chunked body and its trailers. `parity_bytes` None: no parity was asked for."""
    parity = "" if parity_bytes is None else f";parity={parity_bytes}"
    trailers = [("x-voxel-sent", f"{sent_bytes};datagrams={datagrams}{parity}")]
    if figures.smoothed_rtt is not None:
        trailers.append(("x-voxel-rtt", str(round(figures.smoothed_rtt * 1000))))
    return "\r\n".join(["0", *_lines([*trailers, *_path(figures)]), "", ""]).encode("latin-1")


def error_response(error: HttpError) -> bytes:
    """A whole response with a one-line text body."""
    body = f"{error.message}\n".encode()
    headers = [("content-type", "text/plain; charset=utf-8"), ("content-length", str(len(body))), *error.headers]
    return encode_head(error.status, headers) + body


def _validator(etag: str) -> Headers:
    """None of a file that grows."""
    return [("etag", etag)] if etag else []


def _path(figures: Figures) -> Headers:
    field = figures.cmsd_dynamic
    return [] if field is None else [("cmsd-dynamic", field)]


def _lines(headers: Headers) -> list[str]:
    return [f"{name}: {value}" for name, value in headers]
