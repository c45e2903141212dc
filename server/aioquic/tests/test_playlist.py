"""What requests for playlists wait for, by the vectors that both servers share, and who looks at files meanwhile."""

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_serve.errors import HttpError
from voxel_serve.files import Mounts
from voxel_serve.playlist import Directives, Playlist
from voxel_serve.playlists import Playlists, State

VECTORS = json.loads((Path(__file__).parents[3] / "test" / "vectors" / "playlists.json").read_text())
DATA = "".join(f"{line}\n" for line in VECTORS["playlist"]).encode()


def playlist() -> Playlist:
    found = Playlist.read(DATA)
    assert found is not None
    return found


def answer(target: str) -> str:
    try:
        wanted = Directives.of(target)
    except HttpError as error:
        assert error.status == 400
        return "malformed"
    try:
        playlist().check(wanted)
    except HttpError as error:
        assert error.status == 400
        return "refused"
    return "there" if playlist().has(wanted) else "wait"


@pytest.mark.parametrize("request_", VECTORS["requests"], ids=lambda it: it["target"])
def test_requests_wait_as_the_vectors_say(request_: dict[str, str]) -> None:
    assert answer(request_["target"]) == request_["answer"]


@pytest.mark.parametrize("text", VECTORS["none"])
def test_other_files_are_none(text: str) -> None:
    assert Playlist.read(text.encode()) is None


def test_what_is_served_announces_that_requests_are_held() -> None:
    lines = playlist().served(skip=False).decode().splitlines()
    tags = [line.replace("#VOXEL-BLOCKING:", "#") for line in VECTORS["playlist"]]
    assert [line for line in lines if line not in tags] == [VECTORS["control"]]
    assert len(lines) == len(tags)
    assert playlist().patience == VECTORS["patience"]


def test_nobody_waits_for_long_whatever_the_playlist_says() -> None:
    longer = Playlist.read(DATA.replace(b"TARGETDURATION:1", b"TARGETDURATION:100000"))
    assert longer is not None
    assert longer.patience == 30


def test_a_delta_update_lacks_what_is_old() -> None:
    lines = playlist().served(skip=True).decode().splitlines()
    place = lines.index(f"#EXT-X-SKIP:SKIPPED-SEGMENTS={VECTORS['skipped']}")
    assert lines[place - 1] == "#EXT-X-DISCONTINUITY-SEQUENCE:3"
    assert lines[place + 2] == VECTORS["firstAfterSkip"]
    assert lines[place + 3 :] == playlist().served(skip=False).decode().splitlines()[-len(lines[place + 3 :]) :]


MAP = '#EXT-X-MAP:URI="init.mp4"\n'


def with_past(line: str) -> Playlist:
    found = Playlist.read(DATA.decode().replace(MAP, f"{MAP}{line}\n").encode())
    assert found is not None
    return found


def test_segments_that_a_comment_stands_for_are_in_full_playlists_and_count_in_delta_updates() -> None:
    past = VECTORS["past"]
    found = with_past(past["line"])
    full, delta = (
        playlist().served(skip=skip).decode().replace("#EXT-X-MEDIA-SEQUENCE:100", past["sequence"])
        for skip in (False, True)
    )
    lines = "".join(f"{line}\n" for line in past["lines"])
    assert found.served(skip=False).decode() == full.replace(MAP, MAP + lines)
    assert found.served(skip=True).decode() == delta.replace("SEGMENTS=1", f"SEGMENTS={past['skipped']}")


@pytest.mark.parametrize("line", VECTORS["past"]["ignored"])
def test_a_comment_that_cannot_be_is_one_as_any_other(line: str) -> None:
    assert with_past(line).served(skip=False).decode() == playlist().served(skip=False).decode().replace(
        MAP, f"{MAP}{line}\n"
    )


def test_what_another_server_has_announced_stays() -> None:
    found = Playlist.read(playlist().served(skip=False))
    assert found is not None
    assert found.served(skip=False) == playlist().served(skip=False)


@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    for found in (Playlist.read(data), Playlist.read(DATA + data)):
        if found is not None:
            found.served(skip=True)


@given(st.text(max_size=60))
def test_any_target_is_read(text: str) -> None:
    assert answer(f"/?{text}&_HLS_msn={text}") in ("there", "wait", "refused", "malformed")


async def test_one_watcher_looks_for_all_however_they_write_the_path(tmp_path: Path) -> None:
    (tmp_path / "media.m3u8").write_bytes(DATA)
    mounts = Mounts({"/": tmp_path})
    playlists = Playlists(mounts, lambda: False)
    file = mounts.open("/media.m3u8")
    state = State.of(file)
    assert state is not None
    wanted = Directives(108, 0)
    paths = ("/media.m3u8", "/%6dedia.m3u8", "/m%65dia.m3u8")
    waiting = [asyncio.create_task(playlists.wait(path, state, wanted)) for path in paths]
    await asyncio.sleep(0.1)
    assert len(playlists._watchers) == 1
    lines = [*VECTORS["playlist"][:-2], "#EXTINF:1.000000,", "107.m4s", '#EXT-X-PART:DURATION=0.5,URI="108.m4s"']
    (tmp_path / "new").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "new").replace(tmp_path / "media.m3u8")
    for found in await asyncio.gather(*waiting):
        assert found.playlist is not None
        assert found.playlist.has(wanted)
    assert not playlists._watchers
    file.close()
