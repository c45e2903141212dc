"""`Origin` and `Host`, divided by a line feed."""

import re
from urllib.parse import urlsplit

from voxel_serve.cors import OriginPolicy, host_name, is_loopback
from voxel_serve.errors import HttpError

OPEN = OriginPolicy(frozenset())
LISTED_ORIGIN = re.compile(r"https://page\.example(?::0{0,2}443)?", re.IGNORECASE)
LISTED = OriginPolicy(frozenset({"https://page.example"}), own_hosts=frozenset({"media.example"}))


def fuzz(data: bytes) -> None:
    origin, _, authority = data.decode("latin-1").partition("\n")
    name = host_name(authority)
    assert name is None or re.fullmatch(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]", name)
    for policy in (OPEN, LISTED):
        allowed = policy.allows(origin, authority)
        names = [key for key, _ in policy.response_headers(origin, authority)]
        assert ("access-control-allow-origin" in names) is allowed
        try:
            policy.check_host(authority)
        except HttpError as error:
            assert error.status == (400 if name is None else 403)
        else:
            assert name is not None
            assert policy is OPEN or name in ("media.example", "page.example") or is_loopback(name)
    assert LISTED.allows(origin, authority) is bool(LISTED_ORIGIN.fullmatch(origin))
    if OPEN.allows(origin, authority):
        assert name is not None
        theirs = host_name(urlsplit(origin).netloc)
        assert theirs is not None
        assert theirs == name or (is_loopback(theirs) and is_loopback(name))
