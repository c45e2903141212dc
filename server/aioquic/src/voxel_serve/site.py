"""Ordinary HTTP, the same over HTTP/1.1 and HTTP/3: GET, HEAD and OPTIONS, single and multiple ranges (RFC 9110)."""

import asyncio
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import formatdate
from http import HTTPStatus

from .authorization import Asked
from .authorize import Authorizer
from .cmcd import Viewers
from .conditions import has_changed, is_unchanged
from .cors import OriginPolicy
from .discovery import DISCOVERY_PATH, Discovery
from .errors import HttpError
from .files import Body, MediaFile, Mounts, Redirect, matches
from .growing import GrowingBody, Watchers
from .limits import Limits
from .metrics import Metrics
from .playlist import Directives
from .playlists import CONTENT_TYPE, Playlists, State
from .ranges import ByteRange, followed_range, known_ranges, parse_range_header, satisfiable_ranges
from .shares import Shares

_VISIBLE = re.compile("[!-~]+")
"""Characters of which a target consists; clients encode everything else (RFC 3986 section 2)."""

COMMON_HEADERS = (("accept-ranges", "bytes"), ("cache-control", "no-cache"), ("x-content-type-options", "nosniff"))
"""Headers of all responses with bytes of a file."""

TIME_PATH = "/.well-known/voxel-time"

Fields = list[tuple[str, str]]

ALLOWED_METHODS = "GET, HEAD, OPTIONS"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request of either HTTP version."""

    method: str
    target: str
    """Path and query, or `*`."""

    authority: str
    """The Host header or :authority."""

    headers: Mapping[str, str]
    """Lower-case names."""

    client: str
    """The client's address."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """Status, headers with the content length, and body, which must be closed."""

    status: HTTPStatus
    headers: Fields
    body: Body | GrowingBody


@dataclass
class Site:
    """Everything that the protocols share."""

    mounts: Mounts
    origins: OriginPolicy
    limits: Limits
    metrics: Metrics
    discovery: Discovery | None
    """None: WebTransport is disabled."""

    authorizer: Authorizer | None = None
    """Whom to ask who may read; None: everybody may."""

    draining: bool = False
    """True: new requests are refused."""

    def __post_init__(self) -> None:
        self.requests = Shares(each=self.limits.requests_per_address)
        """Those in flight of each client."""
        self.watchers = Watchers(self.metrics)
        self.playlists = Playlists(self.mounts, lambda: self.draining)
        self.viewers = Viewers(self.metrics)

    async def respond(self, request: HttpRequest) -> HttpResponse:
        """The response to any request; never raises `HttpError`."""
        origin = request.headers.get("origin")
        try:
            response = await self._respond(request)
        except HttpError as error:
            response = text_response(error)
        response.headers.extend(self.origins.response_headers(origin, request.authority))
        return body_left_out(response) if request.method == "HEAD" else response

    async def open(self, asked: Asked) -> MediaFile:
        """The file of a request, if its client may read it. Raises `HttpError` and `Redirect`."""
        if self.authorizer is not None:
            await self.authorizer.check(asked)
        file = await asyncio.to_thread(self.mounts.open, asked.target.partition("?")[0])
        if asked.method == "GET":
            self.viewers.count(asked.target, asked.headers)
        return file

    async def _respond(self, request: HttpRequest) -> HttpResponse:
        self.refuse_while_draining()
        self.origins.check_host(request.authority)
        if request.method == "OPTIONS" and (request.target == "*" or request.target.startswith("/")):
            preflight = [*self.origins.preflight_headers(), ("allow", ALLOWED_METHODS)]
            return HttpResponse(HTTPStatus.NO_CONTENT, preflight, Body([]))
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            message = f"only {ALLOWED_METHODS} are answered"
            raise HttpError(HTTPStatus.METHOD_NOT_ALLOWED, message, (("allow", ALLOWED_METHODS),))
        target = request.target
        if not _VISIBLE.fullmatch(target):
            raise HttpError(HTTPStatus.BAD_REQUEST, "malformed request target")
        if target.partition("?")[0] == DISCOVERY_PATH and self.discovery is not None:
            document = self.discovery.document(request.authority)
            return literal_response(document, "application/json", ("cache-control", "no-store"))
        if target.partition("?")[0] == TIME_PATH:
            return literal_response(_now(), "text/plain; charset=utf-8", ("cache-control", "no-store"))
        try:
            headers = request.headers
            asked = Asked(request.method, target, request.authority, headers, request.client, headers.get("origin"))
            file = await self.open(asked)
        except Redirect as redirect:
            _, separator, query = target.partition("?")
            fields = [("location", f"{redirect.location}{separator}{query}"), ("content-length", "0")]
            return HttpResponse(HTTPStatus.PERMANENT_REDIRECT, fields, Body([]))
        try:
            response = await self._playlist_response(file, request)
            if response is None:
                response = self._growing_response(file, request) if file.grows else self._file_response(file, request)
        except HttpError:
            file.close()
            raise
        # What one client may read is not for caches that others share.
        if self.authorizer is not None:
            private = {("cache-control", "no-cache"): ("cache-control", "private, no-cache")}
            response.headers[:] = [private.get(field, field) for field in response.headers]
        return response

    def refuse_while_draining(self) -> None:
        """Raises `HttpError` 503."""
        if self.draining:
            raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "the server is stopping")

    async def _playlist_response(self, file: MediaFile, request: HttpRequest) -> HttpResponse | None:
        """A playlist that grows by parts, once it has those that are asked for; None for any other file."""
        state = State.of(file)
        if state is None or state.playlist is None:
            return None
        wanted = Directives.of(request.target)
        if request.method == "GET":
            state = await self.playlists.wait(request.target.partition("?")[0], state, wanted)
        if "if-match" in request.headers and not matches(request.headers["if-match"], state.etag):
            raise file.changed()
        file.close()
        playlist = state.playlist
        data = state.data if playlist is None else playlist.served(skip=wanted.skip)
        if wanted != Directives():  # Nobody asks for it again, some times a second.
            return literal_response(data, CONTENT_TYPE, ("cache-control", "no-store"))
        # Its date says too little of what changes some times a second.
        common = [*COMMON_HEADERS, ("etag", state.etag)]
        if "if-none-match" in request.headers and is_unchanged(request.headers, state.etag, 0):
            return HttpResponse(HTTPStatus.NOT_MODIFIED, common, Body([]))
        return literal_response(data, CONTENT_TYPE, *common)

    def _growing_response(self, file: MediaFile, request: HttpRequest) -> HttpResponse:
        """Follows the file, or has ranges of what is there."""
        file.check_unchanged(request.headers.get("if-match"))
        common = [("content-type", file.content_type), *COMMON_HEADERS]
        # A validator in `If-Range` is not of this state.
        in_any_state = request.method == "GET" and "if-range" not in request.headers
        range_header = request.headers.get("range") if in_any_state else None
        specs = None if range_header is None else parse_range_header(range_header, self.limits)
        if specs is None:
            return HttpResponse(HTTPStatus.OK, common, GrowingBody(file, self.watchers.follow(file)))
        part = followed_range(specs, file.size)
        if part is not None:
            headers = [*common, ("content-range", f"bytes {part.start}-{part.end - 1}/*")]
            body = GrowingBody(file, self.watchers.follow(file), part)
            return HttpResponse(HTTPStatus.PARTIAL_CONTENT, headers, body)
        return self._range_response(file, known_ranges(specs, file.size, self.limits), [*COMMON_HEADERS])

    def _file_response(self, file: MediaFile, request: HttpRequest) -> HttpResponse:
        common = [
            *COMMON_HEADERS,
            ("etag", file.etag),
            ("last-modified", formatdate(file.modified_ns / 1e9, usegmt=True)),
        ]
        file.check_unchanged(request.headers.get("if-match"))
        if has_changed(request.headers, file.modified_ns):
            raise file.changed()
        if is_unchanged(request.headers, file.etag, file.modified_ns):
            file.close()
            return HttpResponse(HTTPStatus.NOT_MODIFIED, common, Body([]))
        # Of other methods it means nothing (RFC 9110 section 14.2).
        range_header = request.headers.get("range") if request.method == "GET" else None
        specs = None
        if range_header is not None and request.headers.get("if-range", file.etag) == file.etag:
            specs = parse_range_header(range_header, self.limits)
        if specs is None:
            body = Body([ByteRange(0, file.size)], file)
            headers = [("content-type", file.content_type)]
            return HttpResponse(HTTPStatus.OK, [*headers, _length(body), *common], body)
        return self._range_response(file, satisfiable_ranges(specs, file.size, self.limits), common)

    def _range_response(self, file: MediaFile, ranges: list[ByteRange], common: Fields) -> HttpResponse:
        if len(ranges) == 1:
            body = Body(ranges, file)
            headers = [("content-type", file.content_type), ("content-range", _content_range(ranges[0], file))]
        else:
            boundary = secrets.token_hex(16)
            body = Body(_multipart(ranges, file, boundary), file)
            headers = [("content-type", f"multipart/byteranges; boundary={boundary}")]
        return HttpResponse(HTTPStatus.PARTIAL_CONTENT, [*headers, _length(body), *common], body)


def _now() -> bytes:
    """An ISO 8601 date of milliseconds, without an end of line, which `Date.parse` would refuse."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z").encode()


def text_response(error: HttpError) -> HttpResponse:
    """A response with a one-line text body."""
    body = Body([f"{error.message}\n".encode()])
    headers = [("content-type", "text/plain; charset=utf-8"), _length(body), *error.headers]
    return HttpResponse(error.status, headers, body)


def body_left_out(response: HttpResponse) -> HttpResponse:
    """The response to HEAD, from that to GET."""
    response.body.close()
    return HttpResponse(response.status, response.headers, Body([]))


def literal_response(content: bytes, content_type: str, *headers: tuple[str, str]) -> HttpResponse:
    """A 200 response with these bytes."""
    body = Body([content])
    return HttpResponse(HTTPStatus.OK, [("content-type", content_type), _length(body), *headers], body)


def _multipart(ranges: list[ByteRange], file: MediaFile, boundary: str) -> list[bytes | ByteRange]:
    """RFC 9110 section 14.6."""
    pieces: list[bytes | ByteRange] = []
    for part in ranges:
        head = f"\r\n--{boundary}\r\ncontent-type: {file.content_type}\r\ncontent-range: {_content_range(part, file)}"
        pieces += [f"{head}\r\n\r\n".encode("latin-1"), part]
    return [*pieces, f"\r\n--{boundary}--\r\n".encode("latin-1")]


def _content_range(part: ByteRange, file: MediaFile) -> str:
    return f"bytes {part.start}-{part.end - 1}/{'*' if file.grows else file.size}"


def _length(body: Body) -> tuple[str, str]:
    return ("content-length", str(body.length))
