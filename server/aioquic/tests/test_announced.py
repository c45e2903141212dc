"""Further addresses in the discovery file."""

import json

import pytest
from voxel_serve.announced import AnnouncedPath, check_paths, parse_path
from voxel_serve.discovery import Discovery
from voxel_serve.errors import ConfigurationError

URL = "https://b.example:4433/voxel"
HASH = "B0EWs0fuMuFu9wHqofo/D2mVFTNUZtvC2ostVMpZJIY="


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (URL, AnnouncedPath(URL)),
        (f"{URL};cost=2", AnnouncedPath(URL, 2)),
        (f"{URL};hash={HASH};cost=1.5;hash={HASH}", AnnouncedPath(URL, 1.5, (HASH, HASH))),
        ("https://[::1]:4433/voxel?token=a", AnnouncedPath("https://[::1]:4433/voxel?token=a")),
    ],
)
def test_a_path_is_a_url_with_a_cost_and_hashes(text: str, path: AnnouncedPath) -> None:
    assert parse_path(text) == path


@pytest.mark.parametrize(
    "url",
    [
        *("http://a/voxel", "https://", "https://a b/", "https://a:0/", "https://a:70000/", "https://a/#b", "a", ""),
        *("https://b@a/", "https://a/\n", "https://[a"),
    ],
)
def test_what_is_no_endpoint_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="--path must begin with a URL of the form https://host:port/voxel"):
        parse_path(url)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        *((f"cost={cost}", "cost must be a number from 0") for cost in ("", "-1", "1e3", "inf", "nan", "1.2.3", "+1")),
        ("cost=" + "9" * 400, "cost must be a number from 0"),
        *(
            (f"hash={text}", "hash must be the base64 SHA-256")
            for text in ("", "B0EW", HASH[1:], HASH.replace("/", "_"))
        ),
        ("price=1", r"--path must have the form URL\[;cost=N\]\[;hash=SHA256\]"),
        ("cost=1;cost=2", "--path must have one cost"),
    ],
)
def test_bad_fields_are_refused(field: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        parse_path(f"{URL};{field}")


def test_together_they_are_seven_different_addresses_at_most() -> None:
    paths = [AnnouncedPath(f"https://a{number}/") for number in range(8)]
    check_paths(paths[:7])
    with pytest.raises(ConfigurationError, match="--path may be given 7 times, got 8"):
        check_paths(paths)
    with pytest.raises(ConfigurationError, match="--path must name each address once, got 'https://a0/' twice"):
        check_paths([paths[0], AnnouncedPath("https://a0/", 1)])


def test_paths_have_their_own_hashes_and_the_endpoint_among_them_the_servers() -> None:
    paths = (parse_path(f"{URL};hash={HASH}"), parse_path("https://a:4433/voxel;cost=0.5"))
    discovery = Discovery("a", 4433, None, lambda: ["aa="], paths)
    assert json.loads(discovery.document("a"))["paths"] == [
        {"endpoint": URL, "certificateHashes": [HASH], "cost": 0},
        {"endpoint": "https://a:4433/voxel", "certificateHashes": ["aa="], "cost": 0.5},
    ]
