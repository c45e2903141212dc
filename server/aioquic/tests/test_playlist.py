"""What requests for playlists wait for, by the vectors that both servers share."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_serve.errors import HttpError
from voxel_serve.playlist import Directives, Playlist

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
    assert [line for line in lines if line not in VECTORS["playlist"]] == [VECTORS["control"], VECTORS["hint"]]
    assert len(lines) == len(VECTORS["playlist"])
    assert playlist().patience == VECTORS["patience"]


def test_a_delta_update_lacks_what_is_old() -> None:
    lines = playlist().served(skip=True).decode().splitlines()
    place = lines.index(f"#EXT-X-SKIP:SKIPPED-SEGMENTS={VECTORS['skipped']}")
    assert lines[place - 1] == "#EXT-X-DISCONTINUITY-SEQUENCE:3"
    assert lines[place + 2] == VECTORS["firstAfterSkip"]
    assert lines[place + 3 :] == playlist().served(skip=False).decode().splitlines()[-len(lines[place + 3 :]) :]


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
