import pytest
from voxel_serve.shares import Shares, client_of


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("::1", "::"),
    ],
)
def test_a_client_is_an_address_or_a_network_of_64_bits(address: str, client: str) -> None:
    assert client_of(address) == client


def test_each_client_has_its_share() -> None:
    shares = Shares(each=2)
    assert not shares.has_half("a")
    assert [shares.take("a") for _ in range(3)] == [True, True, False]
    assert shares.has_half("a")
    assert shares.take("b")
    shares.give_back("a")
    assert shares.take("a")


def test_all_together_have_a_limit_too() -> None:
    shares = Shares(each=2, together=3)
    assert [shares.take(client) for client in ("a", "a", "b", "c")] == [True, True, True, False]
    shares.give_back("a")
    assert shares.has_room("c")


def test_zero_is_no_limit() -> None:
    shares = Shares(each=0)
    assert all(shares.take("a") for _ in range(10_000))


def test_nothing_is_kept_of_clients_that_have_gone() -> None:
    shares = Shares(each=1)
    for client in ("a", "b"):
        assert shares.take(client)
        shares.give_back(client)
        assert shares.has_room(client)
    assert shares.total == 0
    assert not shares._held
