"""Items, lists and inner lists of RFC 9651: what is read can be written, and reads the same."""

import re
from collections.abc import Mapping

from support.inputs import MOST
from voxel_serve.structured import BareItem, parse_inner_list, parse_item, parse_strings


def fuzz(data: bytes) -> None:
    text = data.decode("latin-1")
    try:
        value, parameters = parse_item(text)
    except ValueError as error:
        assert str(error) == "malformed structured field"
    else:
        assert parse_item(_written(value) + _parameters(parameters)) == (value, parameters)
    try:
        items, parameters = parse_inner_list(text)
    except ValueError as error:
        assert str(error) == "malformed structured field"
    else:
        assert parse_inner_list(f"({' '.join(map(_written, items))}){_parameters(parameters)}") == (items, parameters)
    try:
        strings = parse_strings(text)
    except ValueError as error:
        assert str(error) == "malformed structured field"
    else:
        assert parse_strings(", ".join(map(_quoted, strings))) == strings


def _parameters(parameters: Mapping[str, BareItem]) -> str:
    return "".join(f";{key}={_written(item)}" for key, item in parameters.items())


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
