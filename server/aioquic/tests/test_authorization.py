"""What the service is asked, and what its answer means: the same as `server/quiche/protocol/src/authorization.rs`."""

from dataclasses import replace
from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_serve.authorization import Asked, canonical, digest, may_be_asked_about, question, verdict
from voxel_serve.errors import HttpError
from voxel_serve.files import decode

BASE = Asked("GET", "/a", "a", {}, "::ffff:192.0.2.1")


@pytest.mark.parametrize(
    ("target", "uri"),
    [
        ("/a/q%30%37.mp4", "/a/q07.mp4"),
        ("/%61%3f?token=a&CMCD=br%3D1&token=b", "/a%3F?token=a&token=b"),
        ("/a?CMCD=x", "/a"),
        ("/a?", "/a"),
        ("/a?cmcd=x&CMCDX=1", "/a?cmcd=x&CMCDX=1"),
        ("/a%5cb#c", "/a%5Cb%23c"),
        ("/%ff~é", "/%FF~%C3%A9"),
        ("/sub/", "/sub/"),
    ],
)
def test_a_file_has_one_path_and_cmcd_none(target: str, uri: str) -> None:
    assert canonical(target) == uri


@pytest.mark.parametrize("target", ["/a/../b", "/a%2Fb", "//a", "a", "/.a", "/a%00"])
def test_a_path_that_no_file_can_have_is_no_question(target: str) -> None:
    with pytest.raises(HttpError):
        canonical(target)


@given(st.text("/.%25eaf?&=CMD\\", max_size=30).map(lambda rest: f"/{rest}"))
def test_the_service_is_asked_about_the_file_that_is_opened(target: str) -> None:
    try:
        uri = canonical(target)
    except HttpError:
        return
    assert decode(uri.partition("?")[0]) == decode(target.partition("?")[0])
    assert canonical(uri) == uri


def test_different_questions_have_different_digests() -> None:
    all_asked = [
        BASE,
        replace(BASE, method="HEAD"),
        replace(BASE, target="/b"),
        replace(BASE, target="/a?token=1"),
        replace(BASE, authority="b"),
        replace(BASE, headers={"cookie": "a=1"}),
        replace(BASE, headers={"authorization": "a=1"}),
        replace(BASE, client="192.0.2.2"),
        replace(BASE, origin="b"),
        replace(BASE, session="b"),
    ]
    assert len({digest(question(asked)) for asked in all_asked}) == len(all_asked)
    same = replace(
        BASE, target="/%61?CMCD=1", client="192.0.2.1", headers={"range": "bytes=1-2", "x-forwarded-for": "b"}
    )
    assert question(same) == question(BASE)


@pytest.mark.parametrize(
    ("cache_control", "seconds"),
    [
        ("", 30),
        ("private", 30),
        ("private, Max-Age=5", 5),
        ("max-age=500", 30),
        ("max-age=x", 0),
        ("max-age=9, no-store", 0),
    ],
)
def test_for_how_long_a_verdict_counts(cache_control: str, seconds: int) -> None:
    assert verdict(204, {"cache-control": cache_control}, 30) == seconds


@pytest.mark.parametrize(
    ("status", "refusal"), [(401, 401), (403, 403), (100, 502), (302, 502), (404, 502), (500, 502)]
)
def test_refusals(status: int, refusal: int) -> None:
    with pytest.raises(HttpError) as refused:
        verdict(status, {"www-authenticate": "Basic"}, 30)
    assert refused.value.status == refusal
    assert refused.value.headers == ((("www-authenticate", "Basic"),) if status == HTTPStatus.UNAUTHORIZED else ())


def test_names_of_headers() -> None:
    names = ("x-token", "X-Token", "host", "origin", "x-original-uri", "x-voxel-session", "", "a b")
    assert [name for name in names if may_be_asked_about(name)] == ["x-token"]
