"""A site's service that servers ask who may read: what it was asked, and what it says."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

Question = Mapping[str, str]
"""Headers with lower-case names."""


@dataclass(frozen=True)
class Verdict:
    """An answer of the service."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)


YES, NO = Verdict(204), Verdict(403)
WHO = Verdict(401, {"www-authenticate": 'Bearer realm="films"'})


class Gatekeeper(ThreadingHTTPServer):
    """A service that lets the bearer `good` read, unless `decide` is another."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.questions: list[Question] = []
        self.is_closed = False
        self.decide: Callable[[Question], Verdict] = lambda asked: (
            YES if asked.get("authorization") == "Bearer good" else WHO
        )
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/auth?site=1"

    @property
    def uris(self) -> list[str]:
        """What it was asked about."""
        return [asked["x-original-uri"] for asked in self.questions]

    def close(self) -> None:
        self.is_closed = True
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Gatekeeper

    def do_GET(self) -> None:
        assert self.path == "/auth?site=1"
        if self.server.is_closed:
            self.close_connection = True
            return
        asked = {name.lower(): value for name, value in self.headers.items()}
        self.server.questions.append(asked)
        verdict = self.server.decide(asked)
        with contextlib.suppress(OSError):
            self.send_response(verdict.status)
            for name, value in verdict.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", "0")
            self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def gatekeeper() -> Iterator[Gatekeeper]:
    gatekeeper = Gatekeeper()
    yield gatekeeper
    gatekeeper.close()
