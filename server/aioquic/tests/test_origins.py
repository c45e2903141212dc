import pytest
from voxel_serve.cors import OriginPolicy, host_name, is_loopback, parse_origin
from voxel_serve.errors import ConfigurationError


@pytest.mark.parametrize(
    ("origin", "authority", "allowed"),
    [
        (None, "media.example", True),
        ("https://media.example", "media.example:4433", True),
        ("http://MEDIA.example:8080", "media.example", True),
        ("https://evil.example", "media.example", False),
        ("https://media.example.evil.example", "media.example", False),
        ("http://localhost:3000", "127.0.0.1:4433", True),
        ("http://127.0.0.1", "[::1]:4433", True),
        ("http://localhost:3000", "media.example", False),
        ("https://evil.example", "127.0.0.1", False),
        ("http://127.0.0.1:3000/page", "127.0.0.1", False),
        ("http://user@127.0.0.1", "127.0.0.1", False),
        ("ftp://127.0.0.1", "127.0.0.1", False),
        ("127.0.0.1", "127.0.0.1", False),
        ("null", "127.0.0.1", False),
        ("", "127.0.0.1", False),
        ("http://[", "127.0.0.1", False),
        ("http://[::x]", "127.0.0.1", False),
        ("https://media.example", "", False),
    ],
)
def test_without_a_list_pages_of_the_same_host_are_let_in(origin: str | None, authority: str, allowed: bool) -> None:
    assert OriginPolicy(frozenset()).allows(origin, authority) is allowed


def test_plain_pages_of_the_own_host_are_kept_out_where_others_can_listen() -> None:
    policy = OriginPolicy(frozenset(), plain=False)
    assert policy.allows("https://media.example:8443", "media.example")
    assert not policy.allows("http://media.example", "media.example")
    assert OriginPolicy(frozenset({"http://media.example"}), plain=False).allows(
        "http://media.example", "media.example"
    )


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://a.example", ("https", "a.example", 443)),
        ("http://A.example", ("http", "a.example", 80)),
        ("HTTPS://[::1]:08443", ("https", "[::1]", 8443)),
        ("https://a.example:443", ("https", "a.example", 443)),
        ("https://a.example:", None),
        ("https://", None),
        ("null", None),
        ("", None),
    ],
)
def test_origins(text: str, origin: tuple[str, str, int] | None) -> None:
    assert parse_origin(text) == origin


def test_a_list_is_exact() -> None:
    policy = OriginPolicy(frozenset({"https://player.example", "http://player.example:8080"}))
    for origin in ("https://player.example", "http://player.example:8080"):
        assert policy.allows(origin, "media.example")
    for origin in ("http://player.example", "https://player.example:8080", "https://media.example", "null"):
        assert not policy.allows(origin, "media.example")


def test_a_star_lets_everyone_in() -> None:
    assert OriginPolicy(frozenset({"*"})).allows("null", "media.example")


@pytest.mark.parametrize("origin", ["player.example", "https://", "https://a/b", "https://a/", "ftp://a", "null", ""])
def test_a_bad_origin_is_a_configuration_error(origin: str) -> None:
    with pytest.raises(ConfigurationError, match="--allow-origin must be"):
        OriginPolicy(frozenset({origin}))


@pytest.mark.parametrize(
    ("authority", "name"),
    [
        ("Media.Example:80", "media.example"),
        ("[::1]:80", "[::1]"),
        ("10.0.0.1", "10.0.0.1"),
        ("a b", None),
        ("a/b", None),
        ("", None),
        ("a:b", None),
        ("user@host", None),
    ],
)
def test_host_names(authority: str, name: str | None) -> None:
    assert host_name(authority) == name


def test_loopback_names() -> None:
    assert all(is_loopback(name) for name in ("localhost", "127.0.0.1", "127.8.8.8", "[::1]", "::1"))
    assert not any(is_loopback(name) for name in ("0.0.0.0", "10.0.0.1", "localhost.evil.example", "::"))
