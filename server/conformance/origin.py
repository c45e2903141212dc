"""An HTTP origin in front of which an edge stands: as it should be, or wrong in one way."""

import contextlib
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MODIFIED = 1_700_000_000

BLOCK_BYTES = 512 * 1024
"""What an edge asks for at a time."""


@dataclass(frozen=True)
class File:
    """What the origin has under a path."""

    content: bytes
    etag: str | None = '"1"'
    fields: dict[str, str] = field(default_factory=dict)
    modified: int | None = MODIFIED


@dataclass(frozen=True)
class Request:
    """What the origin was asked."""

    path: str
    headers: dict[str, str]
    status: int
    body_bytes: int


class Answer(BaseHTTPRequestHandler):
    """The handler of one request, which a wrong origin answers in its own way."""

    protocol_version = "HTTP/1.1"
    server: "Origin"

    def do_GET(self) -> None:
        if self.server.wrong is not None:
            self.server.wrong(self)
        else:
            self.ordinary()

    do_HEAD = do_GET

    def ordinary(self) -> None:
        file = self.server.files.get(self.path)
        if file is None:
            self.answer(404)
            return
        if self.is_known(file):
            self.answer(304, b"", fields_of(file))
            return
        if self.is_another(file):
            self.answer(412)
            return
        wanted = self.headers.get("range")
        if wanted is None:
            self.answer(200, file.content, fields_of(file))
            return
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        part = file.content[int(first) : int(last) + 1]
        if not part:
            self.answer(416, b"", {"content-range": f"bytes */{len(file.content)}"})
            return
        content_range = f"bytes {first}-{int(first) + len(part) - 1}/{len(file.content)}"
        self.answer(206, part, fields_of(file) | {"content-range": content_range})

    def is_known(self, file: File) -> bool:
        known = self.headers.get("if-none-match")
        if known is not None and file.etag is not None:
            return known == file.etag
        since = self.headers.get("if-modified-since")
        return since is not None and since == fields_of(file).get("last-modified")

    def is_another(self, file: File) -> bool:
        wanted = self.headers.get("if-match")
        return wanted is not None and wanted != file.etag

    def answer(self, status: int, body: bytes = b"", fields: dict[str, str] | None = None) -> None:
        content_length = {"content-length": str(len(body))}
        if self.command == "HEAD":
            body = b""
        self.note(status, len(body))
        self.head(status, content_length | (fields or {}))
        self.wfile.write(body)

    def head(self, status: int, fields: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()

    def note(self, status: int, body_bytes: int) -> None:
        """Before the answer: who has it may look at once what was asked."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Request(self.path, headers, status, body_bytes))

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the tests look at `Origin.requests`."""


class FolderFiles(dict[str, File]):
    """The files of a folder as they are when they are asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, path: str, default: Any = None) -> Any:
        return self[path] if (self._folder / path.removeprefix("/")).is_file() else default

    def __getitem__(self, path: str) -> File:
        file = self._folder / path.removeprefix("/")
        content = file.read_bytes()
        return File(content, etag=f'"{len(content):x}"', modified=int(file.stat().st_mtime))


class Origin(ThreadingHTTPServer):
    """Serves `files` on a free port of 127.0.0.1 until it is closed."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", port), Answer)
        self._tls = tls
        self.files: dict[str, File] = {}
        self.requests: list[Request] = []
        self.wrong: Callable[[Answer], None] | None = None
        self._connections: set[socket.socket] = set()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"{'http' if self._tls is None else 'https'}://127.0.0.1:{self.server_port}"

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        if self._tls is not None:
            # The handshake is left to the thread that reads: this one accepts connections.
            connection = self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        self._connections.add(connection)
        return connection, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Edges that waited long enough are expected to have gone, as those that do not trust it."""
        if not isinstance(sys.exception(), ConnectionError | ssl.SSLError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        """Ends as if it were killed: open connections end, too."""
        self.shutdown()
        self.server_close()
        self._thread.join()
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


def fields_of(file: File) -> dict[str, str]:
    fields = dict(file.fields)
    if file.etag is not None:
        fields["etag"] = file.etag
    if file.modified is not None:
        fields["last-modified"] = formatdate(file.modified, usegmt=True)
    return fields


def holding(path: str, begun: threading.Semaphore, until: threading.Event) -> Callable[[Answer], None]:
    """Answers what begins with `path` only when `until` is set, and everything else as it should be."""

    def wrong(answer: Answer) -> None:
        if answer.path.startswith(path):
            begun.release()
            until.wait()
        answer.ordinary()

    return wrong


def silent(seconds: float) -> Callable[[Answer], None]:
    """Longer than the edge waits."""

    def wrong(answer: Answer) -> None:
        time.sleep(seconds)
        answer.answer(404)

    return wrong


def answering(
    status: int, body: bytes, fields: dict[str, str], *, length: int | None = None
) -> Callable[[Answer], None]:
    """The same to everything. `length`: announced in place of that of the body, after which the connection ends."""

    def wrong(answer: Answer) -> None:
        if length is None:
            answer.answer(status, body, fields)
            return
        answer.close_connection = True
        answer.head(status, {"content-length": str(length)} | fields)
        answer.wfile.write(body)

    return wrong


def without_length(body: bytes, fields: dict[str, str] | None = None) -> Callable[[Answer], None]:
    """Whole files whose length only the end of the connection tells."""

    def wrong(answer: Answer) -> None:
        answer.close_connection = True
        answer.note(200, len(body))
        answer.head(200, {"etag": '"1"'} | (fields or {}))
        answer.wfile.write(body)

    return wrong


def saying(text: bytes) -> Callable[[Answer], None]:
    """What need not be HTTP, after which the connection ends."""

    def wrong(answer: Answer) -> None:
        answer.close_connection = True
        answer.wfile.write(text)

    return wrong


def endless(status: int, fields: dict[str, str]) -> Callable[[Answer], None]:
    """A body that goes on until the edge has enough of it."""

    def wrong(answer: Answer) -> None:
        answer.close_connection = True
        answer.head(status, fields)
        while True:
            answer.wfile.write(bytes(BLOCK_BYTES))

    return wrong


def empty_for_many(count: int) -> Callable[[Answer], None]:
    """Empty files, which have no first block. So much is said only when `count` requests have asked for it."""
    all_have_asked = threading.Barrier(count)

    def wrong(answer: Answer) -> None:
        if "range" in answer.headers:
            all_have_asked.wait()
            answer.answer(416, b"", {"content-range": "bytes */0"})
        else:
            answer.answer(200, b"", {"etag": '"1"'})

    return wrong
