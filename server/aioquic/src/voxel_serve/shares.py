"""How many connections, sessions or requests each client address has at a time. No I/O, no clock."""

import ipaddress
from collections import Counter

IPV6_PREFIX = 64
"""One customer's network: its addresses are one client (RFC 6177)."""


def client_of(address: str) -> str:
    """What counts as one client: an IPv4 address, or the /64 network of an IPv6 address."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((parsed, IPV6_PREFIX), strict=False).network_address)


class Shares:
    """Counts what clients hold. A limit of 0 is none."""

    def __init__(self, *, each: int, together: int = 0) -> None:
        """`each`: most that one client may hold; `together`: most that all may hold."""
        self.total = 0
        self._each = each
        self._together = together
        self._held: Counter[str] = Counter()

    def has_room(self, client: str) -> bool:
        """Whether the client may take one more."""
        if self._together and self.total >= self._together:
            return False
        return not self._each or self._held[client] < self._each

    def has_half(self, client: str) -> bool:
        """Whether the client holds half of what it may."""
        return bool(self._each) and 2 * self._held[client] >= self._each

    def take(self, client: str) -> bool:
        """Counts one more; False: there is no room for it."""
        if not self.has_room(client):
            return False
        self._held[client] += 1
        self.total += 1
        return True

    def give_back(self, client: str) -> None:
        """Counts one less than before: what `take` has counted has ended."""
        self.total -= 1
        self._held[client] -= 1
        if not self._held[client]:
            del self._held[client]
