"""Asks the site's service who may read (docs/PROTOCOL.md, "Who may read"). What cannot be found out is refused."""

import asyncio
import contextlib
import logging
import ssl
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from urllib.parse import SplitResult, urlsplit

import h11

from .authorization import Asked, Question, digest, may_be_asked_about, question, unclear, verdict
from .errors import ConfigurationError, HttpError
from .log import log
from .request import combined_headers
from .shares import client_of

PATIENCE_SECONDS = 5.0
"""Time for an answer, with that for a turn: then the request is refused."""

QUESTIONS = 64
QUESTIONS_OF_ONE = 16
"""Questions under way, and those of one client address: whoever asks many must not hold up all others."""

VERDICTS = 50_000
"""Verdicts that are kept, each of 32 bytes and a moment."""

HEAD_BYTES = 16 * 1024
"""Most bytes of an answer that are read; its body says nothing."""


class Authorizer:
    """Asks at one address, and remembers whom it lets read."""

    def __init__(self, url: str, names: tuple[str, ...], kept: float, *, each: bool) -> None:
        """Raises `ConfigurationError`.

        `names`: further headers of clients of which it tells; `kept`: seconds for which a verdict counts; `each`:
        whether an address is one client.
        """
        for name in names:
            if not may_be_asked_about(name):
                message = f"--authorize-header must be the name of a client's header, in lower case, got {name!r}"
                raise ConfigurationError(message)
        self._url = _parse(url)
        self._names = names
        self._kept = kept
        self._each = each
        self._tls = ssl.create_default_context() if self._url.scheme == "https" else None
        self._turns = asyncio.Semaphore(QUESTIONS)
        self._turns_of_one: dict[str, asyncio.Semaphore] = {}
        self._waiting: Counter[str] = Counter()
        self._allowed: OrderedDict[bytes, float] = OrderedDict()
        """Until when each counts, by the event loop's clock, in seconds; the one not used for longest first."""

    async def check(self, asked: Asked) -> None:
        """Raises `HttpError` for a request whose client may not read."""
        about = question(asked, self._names)
        key = digest(about)
        if self._is_allowed(key):
            return
        try:
            async with asyncio.timeout(PATIENCE_SECONDS), self._turn(client_of(asked.client)):
                # Another request may have asked meanwhile.
                if not self._is_allowed(key):
                    await self._ask(key, about)
        except TimeoutError as error:
            raise _failed("no answer in time") from error

    def _is_allowed(self, key: bytes) -> bool:
        until = self._allowed.get(key)
        if until is None or until <= asyncio.get_running_loop().time():
            return False
        self._allowed.move_to_end(key)
        return True

    @contextlib.asynccontextmanager
    async def _turn(self, client: str) -> AsyncIterator[None]:
        own = self._turns_of_one.setdefault(client, asyncio.Semaphore(QUESTIONS_OF_ONE)) if self._each else None
        self._waiting[client] += 1
        try:
            async with own or contextlib.nullcontext(), self._turns:
                yield
        finally:
            self._waiting[client] -= 1
            if not self._waiting[client]:
                del self._waiting[client]
                self._turns_of_one.pop(client, None)

    async def _ask(self, key: bytes, about: Question) -> None:
        asked_at = asyncio.get_running_loop().time()
        self._allowed.pop(key, None)
        try:
            status, headers = await self._answer(about)
        except (OSError, h11.ProtocolError) as error:
            raise _failed(getattr(error, "strerror", None) or str(error)) from error
        try:
            seconds = verdict(status, headers, self._kept)
        except HttpError as error:
            raise _failed(f"it answered {status}") if error.status == unclear().status else error from None
        self._allowed[key] = asked_at + seconds
        if len(self._allowed) > VERDICTS:
            self._allowed.popitem(last=False)

    async def _answer(self, about: Question) -> tuple[int, dict[str, str]]:
        """Status and headers of the service's answer."""
        host = self._url.hostname or ""
        port = self._url.port or (443 if self._tls else 80)
        reader, writer = await asyncio.open_connection(host, port, limit=HEAD_BYTES, ssl=self._tls)
        try:
            http = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_BYTES)
            path = (self._url.path or "/") + (f"?{self._url.query}" if self._url.query else "")
            own = [("host", self._url.netloc), ("user-agent", "voxel-serve"), ("connection", "close")]
            headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in [*own, *about]]
            writer.write(http.send(h11.Request(method="GET", target=path, headers=headers)) or b"")
            writer.write(http.send(h11.EndOfMessage()) or b"")
            while True:
                event = http.next_event()
                if event is h11.NEED_DATA:
                    http.receive_data(await reader.read(HEAD_BYTES))
                elif isinstance(event, h11.Response):
                    return event.status_code, combined_headers(event.headers)
                elif not isinstance(event, h11.InformationalResponse):
                    raise h11.RemoteProtocolError("the connection was closed")
        finally:
            writer.close()


def _failed(reason: str) -> HttpError:
    """Neither the question nor the address is logged: both may hold secrets."""
    log("authorization failed", logging.WARNING, reason=reason)
    return unclear()


def _parse(text: str) -> SplitResult:
    try:
        url = urlsplit(text)
        good = url.scheme in ("http", "https") and url.hostname and url.port != 0
    except ValueError:
        good = False
    if not good or "@" in url.netloc or url.netloc.endswith(":") or not text.isascii() or set(text) & set("# \\"):
        raise ConfigurationError(f"--authorize must have the form http://host:port/path, got {text!r}")
    return url
