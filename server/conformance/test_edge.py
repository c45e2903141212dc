"""What an edge makes of its origin (`voxel-quiche --origin`): server/quiche/README.md, "In front of an origin"."""

import asyncio
import json
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from .authority import Authority
from .client import eventually
from .edges import (
    TIMEOUT_SECONDS,
    StartEdge,
    assert_is_refused,
    counters,
    fetch,
    film,
    ranges_asked,
    viewing,
)
from .origin import (
    BLOCK_BYTES,
    Answer,
    File,
    Origin,
    answering,
    empty_for_many,
    endless,
    saying,
    silent,
    without_length,
)
from .servers import Server

VIEWERS = 30

ORIGIN_REQUESTS = 64
"""So many an edge has under way at a time."""

# --- once for all


async def test_many_viewers_on_every_way_fetch_each_byte_once(edge: Server, origin: Origin, media: bytes) -> None:
    content = film(media)
    origin.files["/film.mp4"] = File(content, fields={"cache-control": "max-age=60"})

    async def view(number: int) -> None:
        if number % 3 == 0:
            assert (await asyncio.to_thread(fetch, edge, "/film.mp4"))[2] == content
            return
        # Over the end of a block.
        start = (1 + number % 4) * BLOCK_BYTES - 10_000
        wanted = {"range": f"bytes={start}-{start + 19_999}"}
        async with viewing(edge) as client:
            if number % 3 == 1:
                body = (await client.get("/film.mp4", **wanted))[2]
            else:
                body = (await client.request("/film.mp4", **wanted)).body
        assert body == content[start : start + 20_000]

    await asyncio.gather(*(view(number) for number in range(VIEWERS)))
    assert sum(request.body_bytes for request in origin.requests) == len(content)
    assert len(set(ranges_asked(origin))) == len(origin.requests) == 5
    counted = counters(edge)
    assert (counted["origin_bytes_total"], counted["origin_requests_total"]) == (len(content), 5)
    assert counted["cache_hits_total"] > 0
    assert counted["cache_bytes"] > len(content)


def test_a_head_fetches_no_more_than_what_there_is(edge: Server, origin: Origin, media: bytes) -> None:
    origin.files["/film.mp4"] = File(film(media))
    status, headers, _ = fetch(edge, "/film.mp4", "HEAD")
    assert (status, headers["content-length"], headers["content-type"]) == (200, str(len(film(media))), "video/mp4")
    assert ranges_asked(origin) == [f"bytes=0-{BLOCK_BYTES - 1}"]


# --- freshness


def test_what_is_fresh_is_not_asked_about_and_what_is_not_is_revalidated(edge: Server, origin: Origin) -> None:
    origin.files["/fresh.mp4"] = File(b"fresh", fields={"cache-control": "max-age=60"})
    origin.files["/checked.mp4"] = File(b"checked", fields={"cache-control": "no-cache"})
    for _ in range(3):
        assert fetch(edge, "/fresh.mp4")[::2] == (200, b"fresh")
        assert fetch(edge, "/checked.mp4")[::2] == (200, b"checked")
    assert [request.status for request in origin.requests if request.path == "/fresh.mp4"] == [206]
    assert [request.status for request in origin.requests if request.path == "/checked.mp4"] == [206, 304, 304]
    assert counters(edge)["origin_revalidations_total"] == 2


def test_without_an_etag_the_date_revalidates(edge: Server, origin: Origin) -> None:
    origin.files["/a.mp4"] = File(b"dated", etag=None, fields={"cache-control": "no-cache"})
    etags = {fetch(edge, "/a.mp4")[1]["etag"] for _ in range(2)}
    assert [request.status for request in origin.requests] == [206, 304]
    origin.files["/a.mp4"] = File(b"other", etag=None, fields={"cache-control": "no-cache"}, modified=1_700_000_001)
    _, headers, body = fetch(edge, "/a.mp4")
    assert body == b"other"
    assert headers["etag"] not in etags
    assert len(etags) == 1


def test_clients_get_the_origins_validator_and_a_strong_one_for_a_weak_one(edge: Server, origin: Origin) -> None:
    origin.files["/strong.mp4"] = File(b"1", etag='"5f-1"')
    origin.files["/weak.mp4"] = File(b"1", etag='W/"5f-1"')
    assert fetch(edge, "/strong.mp4")[1]["etag"] == '"5f-1"'
    assert fetch(edge, "/weak.mp4")[1]["etag"].startswith('"edge-')


def test_small_files_that_must_not_be_stored_are_passed_on(edge: Server, origin: Origin, media: bytes) -> None:
    origin.files["/live.mpd"] = File(b"<MPD/>", fields={"cache-control": "no-store"})
    origin.files["/film.mp4"] = File(film(media), fields={"cache-control": "private"})
    for _ in range(2):
        assert fetch(edge, "/live.mpd")[::2] == (200, b"<MPD/>")
    assert [request.status for request in origin.requests] == [206, 206]
    assert_is_refused(edge, "/film.mp4", "forbids to store")


@pytest.mark.parametrize("length", ["known", "unknown"])
def test_large_files_that_must_not_be_stored_are_refused_of_an_origin_without_ranges_too(
    edge: Server, origin: Origin, media: bytes, length: str
) -> None:
    content, forbidden = film(media), {"cache-control": "no-store"}
    origin.wrong = without_length(content, forbidden) if length == "unknown" else answering(200, content, forbidden)
    reason = f"more than {BLOCK_BYTES} bytes" if length == "unknown" else "forbids to store"
    assert_is_refused(edge, "/film.mp4", reason)


# --- files that change


@pytest.mark.parametrize("over", ["http", "voxel"])
async def test_a_file_that_changes_while_it_is_played_is_not_mixed(
    edge: Server, origin: Origin, media: bytes, over: str
) -> None:
    fresh = {"cache-control": "max-age=60"}
    origin.files["/film.mp4"] = File(film(media), fields=fresh)

    async with viewing(edge) as client:

        async def part(start: int, **headers: str) -> tuple[int, dict[str, str], bytes]:
            headers |= {"range": f"bytes={start}-{start + 9}"}
            if over == "http":
                return await asyncio.to_thread(lambda: fetch(edge, "/film.mp4", **headers))
            response = await client.request("/film.mp4", **headers)
            return response.status, response.headers, response.body

        status, headers, _ = await part(0)
        assert (status, headers["etag"]) == (206, '"1"')
        origin.files["/film.mp4"] = File(film(media)[::-1], etag='"2"', fields=fresh)
        # What is kept is fresh, and of the first state; what is not shows that there is another.
        assert (await part(10, if_match='"1"'))[0] == 206
        status, headers, _ = await part(3 * BLOCK_BYTES, if_match='"1"')
        assert (status, headers["etag"]) == (412, '"2"')
        status, headers, body = await part(3 * BLOCK_BYTES)
        start = 3 * BLOCK_BYTES
        assert (status, headers["etag"], body) == (206, '"2"', film(media)[::-1][start : start + 10])
        assert (await part(10, if_match='"1"'))[0] == 412


def test_a_file_that_is_gone_is_gone(edge: Server, origin: Origin) -> None:
    origin.files["/a.mp4"] = File(b"a", fields={"cache-control": "no-cache"})
    assert fetch(edge, "/a.mp4")[0] == 200
    del origin.files["/a.mp4"]
    assert fetch(edge, "/a.mp4")[0] == 404


# --- origins that are gone, slow or wrong


async def test_a_killed_origin_leaves_what_is_kept_and_the_rest_is_502_with_a_reason(
    edge: Server, origin: Origin, media: bytes
) -> None:
    content = film(media)
    origin.files["/film.mp4"] = File(content, fields={"cache-control": "max-age=60"})
    async with viewing(edge) as client:
        kept = (await client.request("/film.mp4", range="bytes=0-99999")).body
        # A block ahead is under way.
        await eventually(lambda: counters(edge)["cache_bytes"] >= BLOCK_BYTES)
        origin.close()
        again = await client.request("/film.mp4", range="bytes=0-99999")
        assert (again.status, again.body) == (206, kept)
        last = await client.request("/film.mp4", range=f"bytes={len(content) - 10}-")
        assert (last.status, last.body) == (502, b"the origin cannot be reached: Connection refused\n")
        # As datagrams, too, and where only the end of a request is missing.
        for_flow = await client.request("/film.mp4", x_voxel_unreliable="?1;flow=1")
        assert for_flow.status == 502
        status, _, body = await asyncio.to_thread(fetch, edge, "/film.mp4")
        assert (status, body) == (502, b"the origin cannot be reached: Connection refused\n")
        assert fetch(edge, "/other.mp4")[0] == 502
    assert counters(edge)["origin_errors_total"] >= 4


def test_what_is_no_longer_fresh_is_served_without_the_origin_unless_that_is_forbidden(
    edge: Server, origin: Origin
) -> None:
    origin.files["/a.mp4"] = File(b"a", fields={"cache-control": "max-age=0"})
    origin.files["/b.mp4"] = File(b"b", fields={"cache-control": "max-age=0, must-revalidate"})
    assert [fetch(edge, path)[0] for path in ("/a.mp4", "/b.mp4")] == [200, 200]
    origin.wrong = answering(503, b"down", {})
    assert fetch(edge, "/a.mp4")[::2] == (200, b"a")
    assert fetch(edge, "/b.mp4")[::2] == (502, b"the origin answered 503\n")


async def test_a_silent_origin_holds_up_nobody_else(edges: StartEdge, origin: Origin) -> None:
    edge = edges("--origin-timeout", "1")
    origin.files["/kept.mp4"] = File(b"kept", fields={"cache-control": "max-age=60"})
    # Within a second at some time, on a busy machine, too.
    while fetch(edge, "/kept.mp4")[0] != 200:
        pass
    origin.wrong = silent(5)
    async with viewing(edge) as client:
        waiting = [asyncio.create_task(client.request(f"/slow-{number}.mp4")) for number in range(20)]
        assert (await client.request("/kept.mp4")).body == b"kept"
        assert not any(task.done() for task in waiting)
        for response in await asyncio.gather(*waiting):
            assert (response.status, response.body) == (502, b"the origin did not answer within 1 s\n")


TEN = {"content-range": "bytes 0-9/10", "etag": '"1"'}

WRONG = {
    "a wrong content-range": (answering(206, b"x" * 10, {"content-range": "bytes 5-14/20"}), "content-range"),
    "no content-range": (answering(206, b"x" * 10, {}), "without content-range"),
    "a content-range without end": (answering(206, b"x", {"content-range": "bytes 0" * 1000}), "bytes 0bytes 0"),
    "an enormous head": (answering(200, b"x", {"x-padding": "x" * 20_000}), "message head is too large"),
    "fields without end": (answering(200, b"x", {f"x-{number}": "" for number in range(200)}), "too large"),
    "something else than HTTP": (saying(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), "not answer as HTTP"),
    "nothing": (saying(b""), "broke off"),
    "an endless part": (endless(206, {"content-range": "bytes 0-9/10"}), "more than 10 bytes"),
    "an endless file": (endless(200, {}), "more than"),
    "no size": (answering(206, b"x" * 10, {"content-range": "bytes 0-9/*"}), "how long"),
    "a short body": (answering(206, b"x" * 5, TEN, length=10), "5 of 10 bytes"),
    "a length that is not that of the range": (answering(206, b"x" * 20, TEN), "announced 20 bytes"),
    "an enormous length": (answering(200, b"x", {}, length=1 << 62), "wrong length"),
    "a whole file that is too large": (answering(200, b"x", {}, length=1 << 40), "no parts"),
    "a redirect elsewhere": (answering(302, b"", {"location": "http://127.0.0.1:9/secret"}), "not followed"),
    "a compressed file": (answering(200, b"x", {"content-encoding": "gzip"}), "compresses"),
    "an answer without a question": (answering(304, b"", {}), "304"),
    "an error": (answering(500, b"secrets", {}), "answered 500"),
    "a status that does not exist": (answering(299, b"", {}), "answered 299"),
}


@pytest.mark.parametrize("kind", WRONG)
async def test_a_wrong_origin_is_a_502_with_a_reason(edge: Server, origin: Origin, kind: str) -> None:
    origin.wrong, reason = WRONG[kind]
    async with viewing(edge) as client:
        response = await client.request("/a.mp4")
        assert response.status == 502
        assert reason in response.body.decode()
        assert response.body.count(b"\n") == 1
        assert fetch(edge, "/a.mp4")[::2] == (502, response.body)
        origin.wrong = None
        origin.files["/a.mp4"] = File(b"right")
        assert (await client.request("/a.mp4")).body == b"right"


def test_bytes_beyond_the_announced_length_are_no_part_of_anything(edge: Server, origin: Origin) -> None:
    origin.files["/b.mp4"] = File(b"right")

    def once(answer: Answer) -> None:
        origin.wrong = None
        answering(206, b"0123456789HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwrong", TEN, length=10)(answer)

    origin.wrong = once
    assert fetch(edge, "/a.mp4")[::2] == (200, b"0123456789")
    assert fetch(edge, "/b.mp4")[::2] == (200, b"right")


def test_many_empty_files_at_once_are_served(edges: StartEdge, origin: Origin) -> None:
    """All requests that an edge has under way at a time are followed by a second one each."""
    edge = edges("--origin-timeout", "60")
    origin.wrong = empty_for_many(ORIGIN_REQUESTS)
    with ThreadPoolExecutor(ORIGIN_REQUESTS) as threads:
        # One address has a quarter of them.
        answers = threads.map(
            lambda number: fetch(edge, f"/{number}.mp4", client=f"127.0.0.{2 + number % 4}"), range(ORIGIN_REQUESTS)
        )
        assert {answer[::2] for answer in answers} == {(200, b"")}


@pytest.mark.parametrize("length", ["known", "unknown"])
def test_an_origin_that_sends_whole_files_only(edge: Server, origin: Origin, media: bytes, length: str) -> None:
    content = film(media)
    origin.wrong = without_length(content) if length == "unknown" else answering(200, content, {"etag": '"1"'})
    assert fetch(edge, "/film.mp4", range=f"bytes={BLOCK_BYTES}-{BLOCK_BYTES + 9}")[2] == content[BLOCK_BYTES:][:10]
    assert fetch(edge, "/film.mp4")[2] == content
    assert len(origin.requests) == 1


def test_an_answer_that_breaks_off_is_asked_for_again(edge: Server, origin: Origin) -> None:
    origin.files["/a.mp4"] = File(b"0123456789")

    def once(answer: Answer) -> None:
        origin.wrong = None
        answering(206, b"01234", TEN, length=10)(answer)

    origin.wrong = once
    assert fetch(edge, "/a.mp4")[::2] == (200, b"0123456789")


# --- origins with TLS


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def secure_origin(authority: Authority) -> Iterator[Origin]:
    origin = Origin(tls=authority.server("127.0.0.1"))
    origin.files["/a.mp4"] = File(b"secure")
    yield origin
    origin.close()


def test_an_origin_with_a_certificate_of_an_authority_that_is_trusted(
    edges: StartEdge, secure_origin: Origin, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
    edge = edges(origin=secure_origin)
    assert fetch(edge, "/a.mp4")[::2] == (200, b"secure")


def test_an_origin_with_a_certificate_of_an_unknown_authority_is_a_502(edges: StartEdge, secure_origin: Origin) -> None:
    assert_is_refused(edges(origin=secure_origin), "/a.mp4", "not trusted: unable to get local issuer certificate")
    assert secure_origin.requests == []


def test_an_origin_with_another_hosts_certificate_is_a_502(
    edges: StartEdge, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
    other = Origin(tls=authority.server("127.0.0.2"))
    assert_is_refused(edges(origin=other), "/a.mp4", "not trusted: IP address mismatch")
    assert other.requests == []
    other.close()


# --- the cache


def test_the_cache_keeps_its_bound(edges: StartEdge, origin: Origin, media: bytes, tmp_path: Path) -> None:
    edge = edges("--cache-dir", str(tmp_path), "--cache-bytes", "2M")
    for number in range(3):
        content = film(media, 2.5)
        origin.files[f"/{number}.mp4"] = File(content, fields={"cache-control": "max-age=60"})
        assert fetch(edge, f"/{number}.mp4")[2] == content
    assert counters(edge)["cache_bytes"] <= 2_000_000
    edge.stop()
    assert 1_000_000 < sum(file.stat().st_size for file in tmp_path.iterdir()) <= 2_000_000


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_restart_finds_what_was_kept(
    edges: StartEdge, origin: Origin, media: bytes, tmp_path: Path, how: signal.Signals
) -> None:
    edge = edges("--cache-dir", str(tmp_path))
    content = film(media)
    origin.files["/film.mp4"] = File(content, fields={"cache-control": "max-age=60"})
    assert fetch(edge, "/film.mp4")[2] == content
    asked = len(origin.requests)
    if how == signal.SIGKILL:
        # In the middle of a write.
        (tmp_path / f"{'0' * 32}-7.1.part").write_bytes(b"half a blo")
        wait_for_files(tmp_path, 6)
    edge.process.send_signal(how)
    edge.process.wait()
    again = edges("--cache-dir", str(tmp_path))
    assert fetch(again, "/film.mp4")[2] == content
    assert len(origin.requests) == asked
    assert not list(tmp_path.glob("*.part"))


def wait_for_files(folder: Path, count: int) -> None:
    """Until the cache has written so many."""

    def written() -> int:
        return len([file for file in folder.iterdir() if file.name != "lock" and file.suffix != ".part"])

    async def wait() -> None:
        await eventually(lambda: written() >= count)

    asyncio.run(wait())


def test_one_folder_has_one_edge(edges: StartEdge, quiche_program: list[str], origin: Origin, tmp_path: Path) -> None:
    edges("--cache-dir", str(tmp_path))
    command = [*quiche_program, "--origin", origin.url, "--cache-dir", str(tmp_path), "--http-port", "0"]
    refused = subprocess.run([*command, "--quic-port", "0"], capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert (refused.returncode, "give --cache-dir" in refused.stderr) == (2, True)


# --- paths


def test_nothing_but_what_is_below_the_origins_folder_is_asked_for(edges: StartEdge, origin: Origin) -> None:
    edge = edges(path="/films")
    origin.files |= {"/films/a b.mp4": File(b"a"), "/secret.mp4": File(b"s"), "/films/index.html": File(b"i")}
    for path in ("/../secret.mp4", "/%2e%2e/secret.mp4", "/..%2fsecret.mp4", "//evil.example/x", "/.hidden", "/x%00"):
        assert fetch(edge, path)[0] == 404, path
    assert origin.requests == []
    assert fetch(edge, "/a%3Fb.mp4?token=1")[0] == 404
    assert fetch(edge, "/")[2] == b"i"
    assert [request.path for request in origin.requests] == ["/films/a%3Fb.mp4", "/films/index.html"]
    for request in origin.requests:
        assert set(request.headers) == {"host", "range", "user-agent", "accept-encoding"}


def test_folders_can_be_mounted_beside_the_origin(edges: StartEdge, origin: Origin, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("page")
    edge = edges("--mount", f"/demo={tmp_path}")
    origin.files["/a.mp4"] = File(b"a")
    assert fetch(edge, "/demo/page.html")[2] == b"page"
    assert fetch(edge, "/a.mp4")[2] == b"a"
    assert [request.path for request in origin.requests] == ["/a.mp4"]


def test_every_request_to_the_origin_is_in_the_log(edge: Server, origin: Origin) -> None:
    origin.files["/a.mp4"] = File(b"a")
    fetch(edge, "/a.mp4")
    events = [json.loads(line) for line in edge.log.read_text().splitlines()]
    (asked,) = [event for event in events if event["event"] == "origin asked"]
    assert (asked["url"], asked["status"]) == (f"{origin.url}/a.mp4", "206")


# --- options


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--origin", "media.example"], "--origin must be like"),
        (["--origin", "https://user:secret@media.example/"], "--origin must be like"),
        (["--origin", "https://media.example", "--cache-bytes", "1K"], "at least 2M"),
        (["--origin", "https://media.example", "--origin-timeout", "0"], "--origin-timeout"),
        (["--origin", "https://media.example", "."], "--origin"),
        (["--cache-dir", "/tmp", "."], "--origin"),
        ([], "<DIR>"),
    ],
)
def test_bad_options_are_refused(quiche_program: list[str], options: list[str], word: str) -> None:
    refused = subprocess.run([*quiche_program, *options], capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert refused.returncode == 2
    assert word in refused.stderr
