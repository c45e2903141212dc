"""What an edge believes of its origin and of its own folder: server/quiche/README.md, "In front of an origin"."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .edges import StartEdge, assert_is_refused, fetch, film
from .origin import BLOCK_BYTES, File, Origin, answering, saying
from .servers import Server

FRESH = {"cache-control": "max-age=60"}
STALE = {"cache-control": "max-age=0"}

DOWN = answering(503, b"down", {})

# --- what the origin says of a file


@pytest.mark.parametrize("status", [301, 302, 400, 401, 403, 404, 407, 410, 429, 451])
def test_what_the_origin_refuses_is_no_longer_served(edge: Server, origin: Origin, status: int) -> None:
    origin.files["/a.mp4"] = File(b"a", fields=STALE)
    assert fetch(edge, "/a.mp4")[::2] == (200, b"a")
    origin.wrong = answering(status, b"", {"location": "https://login.example/"})
    assert fetch(edge, "/a.mp4")[0] == (404 if status in {403, 404, 410} else 502)
    # Not even when it cannot say so any more.
    origin.wrong = DOWN
    assert_is_refused(edge, "/a.mp4", "answered 503")


def test_a_wrong_answer_is_not_covered_up(edge: Server, origin: Origin) -> None:
    origin.files["/a.mp4"] = File(b"a", fields=STALE)
    assert fetch(edge, "/a.mp4")[::2] == (200, b"a")
    origin.wrong = answering(206, b"x" * 10, {"content-range": "bytes 5-14/20"})
    assert_is_refused(edge, "/a.mp4", "content-range")


@pytest.mark.parametrize("forbidden", ["no-store, private", "private", "no-store"])
def test_a_file_that_must_no_longer_be_stored_is_deleted(
    edges: StartEdge, origin: Origin, media: bytes, tmp_path: Path, forbidden: str
) -> None:
    edge = edges("--cache-dir", str(tmp_path))
    # Nothing, at first.
    origin.files["/a.mp4"] = File(b"secret", fields={"last-modified": "Sun, 06 Nov 1994 08:49:37 GMT", **STALE})
    assert fetch(edge, "/a.mp4")[::2] == (200, b"secret")
    origin.files["/a.mp4"] = File(b"secret", fields={"cache-control": forbidden})
    assert fetch(edge, "/a.mp4")[::2] == (200, b"secret")
    origin.wrong = DOWN
    assert_is_refused(edge, "/a.mp4", "answered 503")
    edge.stop()
    assert [file.name for file in tmp_path.iterdir()] == ["lock"]


def test_a_part_that_must_not_be_stored_is_not(edges: StartEdge, origin: Origin, media: bytes, tmp_path: Path) -> None:
    edge = edges("--cache-dir", str(tmp_path))
    origin.files["/film.mp4"] = File(film(media), fields=FRESH)
    assert fetch(edge, "/film.mp4", range="bytes=0-9")[2] == film(media)[:10]
    origin.files["/film.mp4"] = File(film(media), fields={"cache-control": "no-store"})
    last = len(film(media)) - 1
    assert fetch(edge, "/film.mp4", range=f"bytes={last}-{last}")[2] == film(media)[-1:]
    edge.stop()
    assert [file.name for file in tmp_path.iterdir()] == ["lock"]


def test_a_304_says_what_was_not_said_before(edge: Server, origin: Origin) -> None:
    origin.files["/a.mp4"] = File(b"a", modified=None)
    assert fetch(edge, "/a.mp4")[0] == 200
    origin.files["/a.mp4"] = File(b"a", modified=None, fields={"cache-control": "no-store"})
    while len(origin.requests) < 2:
        fetch(edge, "/a.mp4")
    origin.wrong = DOWN
    assert_is_refused(edge, "/a.mp4", "answered 503")


CODED = {
    "two lines": b"content-encoding: identity\r\ncontent-encoding: gzip\r\n",
    "a list": b"content-encoding: identity, br\r\n",
    "no text": b"content-encoding: \xff\r\n",
    "a transfer coding": b"transfer-encoding: gzip, chunked\r\n",
    "a transfer coding on a line of its own": b"transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n",
}


@pytest.mark.parametrize("kind", CODED)
def test_no_coding_is_overlooked(edge: Server, origin: Origin, kind: str) -> None:
    body = b"1\r\nx\r\n0\r\n\r\n" if b"chunked" in CODED[kind] else b"x"
    length = b"" if b"chunked" in CODED[kind] else b"content-length: 1\r\n"
    origin.wrong = saying(b"HTTP/1.1 200 OK\r\n" + CODED[kind] + length + b"\r\n" + body)
    assert_is_refused(edge, "/a.mp4", "compresses")


@pytest.mark.parametrize(
    "validator",
    [
        {"etag": 'W/"1"', "modified": None},
        {"etag": 'W/"1"', "modified": 4_000_000_000},
        {"etag": None, "modified": None},
    ],
)
def test_no_parts_are_joined_that_may_be_of_two_states(
    edge: Server, origin: Origin, media: bytes, validator: dict[str, str | int | None]
) -> None:
    old, new = film(media), film(media)[::-1]
    origin.files["/film.mp4"] = File(old, fields=FRESH, **validator)  # type: ignore[arg-type]
    assert fetch(edge, "/film.mp4", range="bytes=0-9")[2] == old[:10]
    origin.files["/film.mp4"] = File(new, fields=FRESH, **validator)  # type: ignore[arg-type]
    assert fetch(edge, "/film.mp4")[2] in {old, new}


def test_parts_are_joined_by_the_date_where_the_etag_is_weak(edge: Server, origin: Origin, media: bytes) -> None:
    origin.files["/film.mp4"] = File(film(media), etag='W/"1"', fields=FRESH)
    assert fetch(edge, "/film.mp4", range="bytes=0-9")[2] == film(media)[:10]
    assert sum(request.body_bytes for request in origin.requests) == BLOCK_BYTES
    assert fetch(edge, "/film.mp4")[2] == film(media)


# --- what is in the folder


def damaged(block: Path, _: Path) -> None:
    content = bytearray(block.read_bytes())
    content[len(content) // 2] ^= 1
    block.write_bytes(content)


def exchanged(block: Path, _: Path) -> None:
    others = [file for file in block.parent.iterdir() if file.name[-2:] in {"-1", "-2"}]
    shutil.copy(others[0], block)


def linked(block: Path, secret: Path) -> None:
    block.unlink()
    block.symlink_to(secret)


def piped(block: Path, _: Path) -> None:
    block.unlink()
    os.mkfifo(block)


@pytest.mark.parametrize("harm", [damaged, exchanged, linked, piped])
@pytest.mark.parametrize("when", ["while it runs", "while it is down"])
def test_what_is_wrong_in_the_folder_is_fetched_again(
    edges: StartEdge, origin: Origin, media: bytes, tmp_path: Path, harm: Callable[[Path, Path], None], when: str
) -> None:
    content = film(media)
    origin.files["/film.mp4"] = File(content, fields=FRESH)
    folder, secret = tmp_path / "cache", tmp_path / "secret"
    secret.write_bytes(b"s" * BLOCK_BYTES)
    edge = edges("--cache-dir", str(folder))
    assert fetch(edge, "/film.mp4")[2] == content
    edge.stop()
    if when == "while it runs":
        edge = edges("--cache-dir", str(folder))
    (block,) = folder.glob("*-0")
    harm(block, secret)
    if when == "while it is down":
        edge = edges("--cache-dir", str(folder))
    assert fetch(edge, "/film.mp4")[2] == content
    assert len(origin.requests) == 6
    assert secret.read_bytes() == b"s" * BLOCK_BYTES


# --- paths


def test_a_backslash_leads_nowhere(edges: StartEdge, origin: Origin) -> None:
    edge = edges(path="/films")
    for path in ("/a%5C..%5C..%5Csecret.mp4", "/a\\..\\..\\secret.mp4", "/a%5c/b.mp4"):
        assert fetch(edge, path)[0] == 404, path
    assert origin.requests == []
