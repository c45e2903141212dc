import errno
import os
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from voxel_serve.errors import ConfigurationError, HttpError
from voxel_serve.files import Body, Mounts, Redirect
from voxel_serve.ranges import ByteRange


def content(mounts: Mounts, path: str) -> bytes:
    file = mounts.open(path)
    try:
        return os.pread(file.handle.fileno(), file.size, 0)
    finally:
        file.close()


def refusal(mounts: Mounts, path: str) -> HTTPStatus:
    with pytest.raises(HttpError) as refused:
        mounts.open(path)
    return refused.value.status


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.EIO])
def test_a_machine_without_room_is_no_missing_file(
    mounts: Mounts, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(*_: object) -> int:
        raise OSError(number, "no")

    monkeypatch.setattr(os, "open", fail)
    assert refusal(mounts, "/media.mp4") is HTTPStatus.SERVICE_UNAVAILABLE


@pytest.fixture
def mounts(folder: Path) -> Mounts:
    return Mounts({"/": folder})


def test_files_and_folders_are_found(mounts: Mounts, media: bytes) -> None:
    assert content(mounts, "/media.mp4") == media
    assert content(mounts, "/") == b"<!doctype html>\n"
    assert content(mounts, "/sub/") == b"<!doctype html>sub\n"
    assert content(mounts, "/with%20space%20%C3%A9.txt") == b"spaced\n"


def test_a_folder_without_its_slash_redirects_to_it(mounts: Mounts) -> None:
    with pytest.raises(Redirect) as redirect:
        mounts.open("/sub")
    assert redirect.value.location == "/sub/"


def test_content_types(mounts: Mounts, folder: Path) -> None:
    for name, expected in (("a.mpd", "application/dash+xml"), ("a.js", "text/javascript"), ("a.xyz", "octet-stream")):
        (folder / name).touch()
        file = mounts.open(f"/{name}")
        file.close()
        assert file.content_type.endswith(expected)


@pytest.mark.parametrize(
    "path",
    [
        "/absent.mp4",
        "/../outside.txt",
        "/%2e%2e/outside.txt",
        "/sub/../../outside.txt",
        "/sub/%2e%2e/%2e%2e/outside.txt",
        "/..%2foutside.txt",
        "/%252e%252e/outside.txt",
        "/.secret",
        "/%2esecret",
        "/sub/.%2e/.secret",
        "/media.mp4/",
        "/media.mp4/x",
        "/media.mp4%00",
        "//media.mp4",
        "//etc/passwd",
        "/%2fetc/passwd",
        "/sub%2findex.html",
        "/%ff%fe",
        "/" + "a" * 5000,
        "/" + "a/" * 3000,
    ],
)
def test_everything_else_is_not_found(mounts: Mounts, path: str) -> None:
    assert refusal(mounts, path) == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("path", ["", "media.mp4", "*", "http:media.mp4"])
def test_a_target_must_be_a_path(mounts: Mounts, path: str) -> None:
    assert refusal(mounts, path) == HTTPStatus.BAD_REQUEST


def test_links_may_not_lead_out(mounts: Mounts, folder: Path, tmp_path: Path) -> None:
    (folder / "out.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "in.mp4").symlink_to(folder / "media.mp4")
    assert refusal(mounts, "/out.txt") == HTTPStatus.NOT_FOUND
    assert refusal(mounts, "/up/outside.txt") == HTTPStatus.NOT_FOUND
    assert refusal(mounts, "/up/") == HTTPStatus.NOT_FOUND
    assert refusal(mounts, "/loop") == HTTPStatus.NOT_FOUND
    assert content(mounts, "/in.mp4")[:4] == bytes(4)


def test_a_folder_index_may_not_be_a_link(mounts: Mounts, folder: Path, tmp_path: Path) -> None:
    (folder / "linked").mkdir()
    (folder / "linked" / "index.html").symlink_to(tmp_path / "outside.txt")
    assert refusal(mounts, "/linked/") == HTTPStatus.NOT_FOUND


def test_only_regular_files_are_served(mounts: Mounts, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert refusal(mounts, "/pipe") == HTTPStatus.NOT_FOUND


def test_the_longest_prefix_wins(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "media.mp4").write_bytes(b"other")
    mounts = Mounts({"/": folder, "/sub/videos": other})
    assert content(mounts, "/sub/videos/media.mp4") == b"other"
    assert content(mounts, "/sub/index.html") == b"<!doctype html>sub\n"
    assert refusal(mounts, "/sub/videosmedia.mp4") == HTTPStatus.NOT_FOUND
    assert refusal(mounts, "/sub/videos/../index.html") == HTTPStatus.NOT_FOUND


def test_an_absent_folder_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such folder"):
        Mounts({"/": tmp_path / "absent"})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["..", ".", "", "sub", "outside.txt", ".secret", "\0", "up"]) | st.text(max_size=5)))
def test_no_path_leads_out(mounts: Mounts, tmp_path: Path, segments: list[str]) -> None:
    path = "/" + "/".join(quote(segment, safe="") for segment in segments)
    try:
        found = content(mounts, path)
    except (HttpError, Redirect):
        return
    assert found.startswith(b"<!doctype")


async def read_all(body: Body, size: int) -> bytes:
    chunks = []
    while chunk := await body.read(size):
        assert len(chunk) <= size
        chunks.append(chunk)
    return b"".join(chunks)


@pytest.mark.parametrize("size", [1, 7, 4096])
async def test_a_body_is_its_pieces_in_order(mounts: Mounts, media: bytes, size: int) -> None:
    body = Body([ByteRange(100, 150), b"literal", ByteRange(0, 20), b"", ByteRange(30, 31)], mounts.open("/media.mp4"))
    assert body.length == 78
    assert await read_all(body, size) == media[100:150] + b"literal" + media[:20] + media[30:31]
    body.close()


async def test_a_file_that_becomes_shorter_is_an_error(folder: Path) -> None:
    path = folder / "shrinking.bin"
    path.write_bytes(bytes(100))
    body = Body([ByteRange(0, 100)], Mounts({"/": folder}).open("/shrinking.bin"))
    path.write_bytes(bytes(10))
    with pytest.raises(OSError, match="shorter"):
        await read_all(body, 64)
    body.close()


def test_the_validator_changes_with_the_file(mounts: Mounts, folder: Path) -> None:
    def etag() -> str:
        file = mounts.open("/media.mp4")
        file.close()
        return file.etag

    first = etag()
    assert etag() == first
    os.utime(folder / "media.mp4", ns=(1, 1))
    touched = etag()
    (folder / "media.mp4").write_bytes(b"shorter")
    os.utime(folder / "media.mp4", ns=(1, 1))
    assert len({first, touched, etag()}) == 3


async def test_what_is_not_in_memory_is_read_all_the_same(
    mounts: Mounts, media: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    preadv = os.preadv

    def hesitating(handle: int, buffers: list[bytearray], offset: int, flags: int) -> int:
        if flags == 0:
            return preadv(handle, buffers, offset)
        if offset % 2 == 1:
            raise BlockingIOError
        return preadv(handle, [memoryview(buffers[0])[:7]], offset)

    monkeypatch.setattr(os, "preadv", hesitating)
    file = mounts.open("/media.mp4")
    body = Body([ByteRange(10, 500), b"literal", ByteRange(0, 30)], file)
    chunks = [chunk async for chunk in chunks_of(body, 64)]
    file.close()
    assert b"".join(chunks) == media[10:500] + b"literal" + media[:30]


async def chunks_of(body: Body, size: int) -> AsyncIterator[bytes]:
    while chunk := await body.read(size):
        yield chunk
