"""The few structured fields (RFC 9651) that the protocol uses."""

import re
from collections.abc import Mapping

BareItem = bool | int | str

_KEY = r"[a-z*][a-z0-9_\-.*]*"
_STRING = r'"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"'
_TOKEN = r"[A-Za-z*][A-Za-z0-9!#$%&'*+\-.^_`|~:/]*"
_BARE_ITEM = rf"(?:\?[01]|-?\d{{1,15}}|{_TOKEN}|{_STRING})"
_PARAMETERS = rf"(?:; *{_KEY}(?:={_BARE_ITEM})?)*"

_PARAMETER = re.compile(rf"; *({_KEY})(?:=({_BARE_ITEM}))?", re.ASCII)
_INNER_ITEM = re.compile(rf" *({_BARE_ITEM}){_PARAMETERS}(?=[ )])", re.ASCII)
_INNER_END = re.compile(rf" *\)({_PARAMETERS})[ \t]*", re.ASCII)
_ITEM = re.compile(rf" *({_BARE_ITEM})({_PARAMETERS}) *", re.ASCII)
_MEMBER = re.compile(rf"[ \t]*({_BARE_ITEM}){_PARAMETERS}[ \t]*(?:,|$)", re.ASCII)


def parse_item(value: str) -> tuple[BareItem, Mapping[str, BareItem]]:
    """An Item: its bare value and its parameters, of which the last one of a name counts. Raises `ValueError`.

    Booleans, integers, strings and tokens; decimals, dates and byte sequences occur in no field of ours.
    """
    match = _ITEM.fullmatch(value)
    if match is None:
        raise ValueError("malformed structured field")
    return _bare_item(match[1]), _parameters(match[2])


def parse_inner_list(value: str) -> tuple[list[BareItem], Mapping[str, BareItem]]:
    """The only member of a List, which is an Inner List: its items and its parameters. Raises `ValueError`."""
    value = value.lstrip(" ")
    items, position = [], 1
    while match := _INNER_ITEM.match(value, position):
        items.append(_bare_item(match[1]))
        position = match.end()
    end = _INNER_END.fullmatch(value, position)
    if not value.startswith("(") or end is None:
        raise ValueError("malformed structured field")
    return items, _parameters(end[1])


def parse_strings(value: str) -> list[str]:
    """The Strings of a List of Items, without their parameters. Raises `ValueError`."""
    members = []
    position = 0
    while position < len(value):
        match = _MEMBER.match(value, position)
        if match is None:
            raise ValueError("malformed structured field")
        if match[1].startswith('"'):
            members.append(_unescaped(match[1]))
        position = match.end()
    return members


def _parameters(text: str) -> Mapping[str, BareItem]:
    return {key: _bare_item(value) if value else True for key, value in _PARAMETER.findall(text)}


def _bare_item(text: str) -> BareItem:
    if text.startswith("?"):
        return text == "?1"
    if text.startswith('"'):
        return _unescaped(text)
    if text[0] == "-" or text[0].isdigit():
        return int(text)
    return text


def _unescaped(string: str) -> str:
    return re.sub(r"\\(.)", r"\1", string[1:-1])
