"""Items and lists of RFC 9651: what is read can be written, and reads the same."""

import re

from support.inputs import MOST
from voxel_serve.structured import BareItem, parse_item, parse_strings


def fuzz(data: bytes) -> None:
    text = data.decode("latin-1")
    try:
        value, parameters = parse_item(text)
    except ValueError as error:
        assert str(error) == "malformed structured field"
    else:
        written = _written(value) + "".join(f";{key}={_written(item)}" for key, item in parameters.items())
        assert parse_item(written) == (value, parameters)
    try:
        strings = parse_strings(text)
    except ValueError as error:
        assert str(error) == "malformed structured field"
    else:
        assert parse_strings(", ".join(map(_quoted, strings))) == strings


def _written(item: BareItem) -> str:
    if isinstance(item, bool):
        return "?1" if item else "?0"
    if isinstance(item, int):
        assert abs(item) <= MOST
        return str(item)
    is_token = re.fullmatch(r"[A-Za-z*][!#$%&'*+\-.^_`|~:/A-Za-z0-9]*", item)
    return item if is_token else _quoted(item)


def _quoted(string: str) -> str:
    assert re.fullmatch(r"[ -~]*", string)
    return '"' + re.sub(r'(["\\])', r"\\\1", string) + '"'
