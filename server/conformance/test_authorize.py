"""docs/PROTOCOL.md, "Who may read": whoever may not read by HTTP may not read by a session, and the other way round."""

import asyncio
import http.client
import threading
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from .client import VoxelClient, connect
from .conftest import Start
from .gatekeeper import NO, WHO, YES, Gatekeeper, Question, Verdict
from .servers import Server

GOOD = {"authorization": "Bearer good"}

Read = Callable[..., Awaitable[tuple[int, bytes]]]


@pytest.fixture
def guarded(starts: Start, gatekeeper: Gatekeeper) -> Server:
    return starts("--authorize", gatekeeper.url, "--authorize-header", "x-token")


@pytest.fixture
async def visitor(guarded: Server) -> AsyncIterator[VoxelClient]:
    """A client with a session."""
    async with connect(guarded.quic_port) as client:
        assert (await client.open_session(origin="http://localhost:5000"))[0] == 200
        yield client


@pytest.fixture(params=["http1", "http3", "session"])
def read(request: pytest.FixtureRequest, guarded: Server, visitor: VoxelClient) -> Read:
    """Asks for a file in one of the three ways; status and body."""

    async def by_http1(path: str, **headers: str) -> tuple[int, bytes]:
        return await asyncio.to_thread(by_tcp, guarded, path, **headers)

    async def by_http3(path: str, **headers: str) -> tuple[int, bytes]:
        status, _, body = await visitor.get(path, **headers)
        return status, body

    async def by_session(path: str, **headers: str) -> tuple[int, bytes]:
        response = await visitor.request(path, **headers)
        return response.status, response.body

    ways: dict[str, Read] = {"http1": by_http1, "http3": by_http3, "session": by_session}
    return ways[request.param]


def by_tcp(server: Server, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.http_port, timeout=30)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, body


def log_of(server: Server) -> str:
    return server.log.read_text()


async def test_a_file_is_for_those_whom_the_service_lets_in(read: Read, media: bytes) -> None:
    for headers in ({}, {"authorization": "Bearer bad"}, {"cookie": "session=good"}):
        status, body = await read("/media.mp4", **headers)
        assert (status, media[:100] in body) == (401, False)
    assert await read("/media.mp4", **GOOD) == (200, media)


async def test_nothing_is_told_of_files_before_the_service_has_been_asked(read: Read) -> None:
    for path in ("/media.mp4", "/absent.mp4", "/sub", "/sub/", "/out.txt"):
        assert (await read(path))[0] == 401, path


async def test_a_range_as_datagrams_is_refused_too(visitor: VoxelClient) -> None:
    head = {"range": "bytes=0-99999", "x_voxel_unreliable": "?1;flow=1"}
    assert (await visitor.request("/media.mp4", **head)).status == 401
    assert not visitor.datagrams
    assert (await visitor.request("/media.mp4", **head, **GOOD)).status == 206
    assert visitor.datagrams


async def test_cookies_queries_and_named_headers_are_asked_about(read: Read, gatekeeper: Gatekeeper) -> None:
    def decide(asked: Question) -> Verdict:
        good = {asked.get("cookie"), asked.get("x-token"), asked["x-original-uri"].partition("?")[2]}
        return YES if good & {"a=1; b=2", "good", "token=good"} else NO

    gatekeeper.decide = decide
    assert (await read("/media.mp4?token=bad", x_secret="good"))[0] == 403
    assert (await read("/media.mp4", cookie="a=1; b=2"))[0] == 200
    assert (await read("/media.mp4?token=good"))[0] == 200
    assert (await read("/media.mp4", x_token="good"))[0] == 200
    assert "x-secret" not in gatekeeper.questions[0]


async def test_what_the_service_is_told(read: Read, gatekeeper: Gatekeeper, request: pytest.FixtureRequest) -> None:
    is_session = "session" in request.node.callspec.params["read"]
    own = {} if is_session else {"origin": "http://localhost:5000"}
    forged = {"x_original_uri": "/public", "x_forwarded_for": "192.0.2.1", "x_voxel_session": "/voxel?token=x"}
    await read("/media.mp4?a=1&CMCD=br%3D3&a=2", **GOOD, **own, **forged)
    asked = dict(gatekeeper.questions[0])
    assert asked.pop("host") == gatekeeper.url.split("/")[2]
    assert asked.pop("x-forwarded-host").startswith("127.0.0.1")
    assert asked.pop("user-agent").startswith("voxel-")
    asked.pop("connection", None)
    assert asked == {
        "x-original-method": "GET",
        "x-original-uri": "/media.mp4?a=1&a=2",
        "x-forwarded-for": "127.0.0.1",
        "authorization": "Bearer good",
        "origin": "http://localhost:5000",
    } | ({"x-voxel-session": "/voxel"} if is_session else {})


async def test_a_sessions_requests_cannot_say_another_page(visitor: VoxelClient, gatekeeper: Gatekeeper) -> None:
    await visitor.request("/media.mp4", origin="https://trusted.example", **GOOD)
    assert gatekeeper.questions[0]["origin"] == "http://localhost:5000"


async def test_the_sessions_url_may_say_who_it_is(guarded: Server, gatekeeper: Gatekeeper, media: bytes) -> None:
    gatekeeper.decide = lambda asked: YES if asked.get("x-voxel-session") == "/voxel?token=good" else WHO
    for token, status in (("good", 200), ("bad", 401)):
        async with connect(guarded.quic_port) as client:
            await client.open_session(f"/voxel?token={token}")
            assert (await client.request("/media.mp4")).status == status
            # It speaks for the session, and not for the connection.
            assert (await client.get("/media.mp4"))[0] == 401


# --- a verdict that is kept counts for the same question alone


async def test_the_same_question_is_asked_once(read: Read, gatekeeper: Gatekeeper) -> None:
    for headers in ({}, {"range": "bytes=0-9"}, {"range": "bytes=5-9"}):
        assert (await read("/media.mp4?CMCD=br%3D1", **GOOD, **headers))[0] in (200, 206)
    assert gatekeeper.uris == ["/media.mp4"]


async def test_a_verdict_counts_for_one_path_one_query_and_one_credential(read: Read, gatekeeper: Gatekeeper) -> None:
    gatekeeper.decide = lambda asked: (
        YES if asked["x-original-uri"] == "/media.mp4?token=1" and "cookie" in asked else NO
    )
    assert (await read("/media.mp4?token=1", cookie="a"))[0] == 200
    for path, headers in (
        ("/media.mp4?token=1", {}),
        ("/media.mp4?token=1", {"authorization": "a"}),
        ("/media.mp4", {"cookie": "a"}),
        ("/media.mp4?token=2", {"cookie": "a"}),
        ("/media.mp4?token=1&token=2", {"cookie": "a"}),
        ("/media.mp4?token=2&token=1", {"cookie": "a"}),
        ("/media.mp4?", {"cookie": "token=1a"}),
        ("/empty.bin?token=1", {"cookie": "a"}),
        ("/sub/?token=1", {"cookie": "a"}),
    ):
        assert (await read(path, **headers))[0] == 403, path


async def test_a_file_has_one_name_however_it_is_encoded(read: Read, gatekeeper: Gatekeeper) -> None:
    gatekeeper.decide = lambda asked: NO if asked["x-original-uri"].startswith("/media.mp4") else YES
    for path in ("/media.mp4", "/%6dedia.mp4", "/media%2emp4", "/%6D%65%64%69%61.mp4", "/media.mp4?x", "/media.mp%34?"):
        assert (await read(path))[0] == 403, path
    for path in ("//media.mp4", "/./media.mp4", "/sub/../media.mp4", "/sub/%2e%2e/media.mp4", "/sub%2f..%2fmedia.mp4"):
        assert (await read(path))[0] == 404, path
    assert set(gatekeeper.uris) <= {"/media.mp4", "/media.mp4?x"}


async def test_a_refusal_is_asked_about_again(read: Read, gatekeeper: Gatekeeper) -> None:
    assert (await read("/media.mp4", x_token="a"))[0] == 401
    gatekeeper.decide = lambda asked: YES
    assert (await read("/media.mp4", x_token="a"))[0] == 200


async def test_the_service_may_say_for_how_long_it_counts(read: Read, gatekeeper: Gatekeeper) -> None:
    gatekeeper.decide = lambda asked: Verdict(200, {"cache-control": "no-store"})
    assert (await read("/media.mp4"))[0] == 200
    gatekeeper.decide = lambda asked: NO
    assert (await read("/media.mp4"))[0] == 403


async def test_a_verdict_ends(starts: Start, gatekeeper: Gatekeeper) -> None:
    server = starts("--authorize", gatekeeper.url, "--authorize-seconds", "1")
    assert by_tcp(server, "/media.mp4", **GOOD)[0] == 200
    gatekeeper.decide = lambda asked: NO
    await asyncio.sleep(1.1)
    assert by_tcp(server, "/media.mp4", **GOOD)[0] == 403


# --- what cannot be found out is refused


@pytest.mark.parametrize("status", [302, 400, 404, 407, 429, 500, 503])
def test_any_other_answer_refuses(guarded: Server, gatekeeper: Gatekeeper, status: int) -> None:
    gatekeeper.decide = lambda asked: Verdict(status, {"location": "/login"})
    assert by_tcp(guarded, "/media.mp4", **GOOD)[0] == 502
    assert f"it answered {status}" in log_of(guarded)


async def test_a_service_that_is_gone_refuses(read: Read, gatekeeper: Gatekeeper) -> None:
    gatekeeper.close()
    assert await read("/media.mp4", **GOOD) == (502, b"whether this may be read cannot be found out now\n")


def test_a_silent_service_refuses_and_holds_up_nobody_else(guarded: Server, gatekeeper: Gatekeeper) -> None:
    released = threading.Event()

    def decide(asked: Question) -> Verdict:
        if asked.get("x-token") == "slow":
            released.wait(30)
        return YES

    gatekeeper.decide = decide
    slow: list[int] = []
    thread = threading.Thread(target=lambda: slow.append(by_tcp(guarded, "/media.mp4", x_token="slow")[0]))
    thread.start()
    assert by_tcp(guarded, "/media.mp4", x_token="fast")[0] == 200
    thread.join()
    released.set()
    assert slow == [502]


# --- pages of other origins, caches, the log


def test_a_page_may_send_credentials_where_its_origin_is_allowed(guarded: Server, starts: Start) -> None:
    everybody = starts("--authorize", guarded_url(guarded), "--allow-origin", "*")
    for server, allowed in ((guarded, "true"), (everybody, None)):
        connection = http.client.HTTPConnection("127.0.0.1", server.http_port, timeout=30)
        connection.request("OPTIONS", "/media.mp4", headers={"origin": "http://localhost:5000"})
        response = connection.getresponse()
        response.read()
        names = str(response.getheader("access-control-allow-headers")).split(", ")
        assert "authorization" in names
        assert ("x-token" in names) == (server is guarded)
        assert response.getheader("access-control-allow-credentials") == allowed
        connection.request("GET", "/media.mp4", headers={"origin": "http://evil.example"})
        response = connection.getresponse()
        response.read()
        assert response.getheader("access-control-allow-credentials") is None
        connection.close()


def guarded_url(server: Server) -> str:
    return f"http://127.0.0.1:{server.http_port}/"


def test_caches_that_others_share_keep_nothing(guarded: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", guarded.http_port, timeout=30)
    connection.request("GET", "/media.mp4", headers=GOOD)
    response = connection.getresponse()
    response.read()
    assert response.getheader("cache-control") == "private, no-cache"
    connection.request("GET", "/media.mp4")
    response = connection.getresponse()
    response.read()
    assert response.getheader("www-authenticate") == 'Bearer realm="films"'
    connection.close()


async def test_what_is_no_file_is_for_everybody(visitor: VoxelClient) -> None:
    for path in ("/.well-known/voxel.json", "/.well-known/voxel-time"):
        assert (await visitor.get(path))[0] == 200


async def test_no_credential_is_logged(read: Read, guarded: Server, gatekeeper: Gatekeeper) -> None:
    await read("/media.mp4?token=sesame", authorization="Bearer sesame", cookie="c=sesame", x_token="sesame")
    gatekeeper.close()
    await read("/media.mp4?token=sesame2", authorization="Bearer sesame", cookie="c=sesame", x_token="sesame")
    await asyncio.to_thread(guarded.stop)
    assert "authorization failed" in log_of(guarded)
    assert "sesame" not in log_of(guarded)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--authorize", "auth.example"], "--authorize must"),
        (["--authorize", "http://user:secret@auth.example/"], "--authorize must"),
        (["--authorize-header", "x-token"], "--authorize-header needs --authorize"),
        (["--authorize", "http://127.0.0.1/", "--authorize-header", "x-original-uri"], "--authorize-header must"),
        (["--authorize", "http://127.0.0.1/", "--authorize-header", "a b"], "--authorize-header must"),
    ],
)
async def test_bad_options(command: list[str], options: list[str], message: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *command, "--http-port", "0", "--quic-port", "0", *options, stderr=asyncio.subprocess.PIPE
    )
    _, errors = await process.communicate()
    assert process.returncode == 2
    assert message in errors.decode()
