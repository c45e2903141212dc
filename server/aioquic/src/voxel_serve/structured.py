"""The few structured fields (RFC 9651) that the protocol uses."""

import re
from collections.abc import Mapping

BareItem = bool | int | str
Item = tuple[bool | int | float | str, Mapping[str, BareItem | float]]
"""Bare value and parameters of a dictionary's items, which may be decimals."""

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


_NUMBER = r"-?(?:\d{1,12}\.\d{1,3}|\d{1,15})"
_ANY = rf"(?:\?[01]|{_NUMBER}|{_TOKEN}|{_STRING})"
_ANY_PARAMETERS = rf"(?:; *{_KEY}(?:={_ANY})?)*"
_ANY_PARAMETER = re.compile(rf"; *({_KEY})(?:=({_ANY}))?", re.ASCII)
_DICTIONARY_KEY = re.compile(rf"({_KEY})(=?)", re.ASCII)
_DICTIONARY_ITEM = re.compile(rf"({_ANY})({_ANY_PARAMETERS})", re.ASCII)
_DICTIONARY_INNER = re.compile(rf" *({_ANY})({_ANY_PARAMETERS})(?=[ )])", re.ASCII)
_INNER_CLOSE = re.compile(rf" *\){_ANY_PARAMETERS}", re.ASCII)
_DICTIONARY_NEXT = re.compile(r"[ \t]*,[ \t]*(?=[a-z*])", re.ASCII)
_FLAG_PARAMETERS = re.compile(_ANY_PARAMETERS, re.ASCII)


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


def parse_dictionary(value: str) -> Mapping[str, list[Item]]:
    """A Dictionary (RFC 9651 section 3.2): each member's items, one where it is no Inner List. Raises `ValueError`.

    Of two members with one key the last counts. Dates and byte sequences occur in no dictionary of ours.
    """
    value = value.strip(" ")
    members: dict[str, list[Item]] = {}
    position = 0
    while position < len(value):
        key = _matched(_DICTIONARY_KEY, value, position)
        position = key.end()
        if not key[2]:
            flag = _matched(_FLAG_PARAMETERS, value, position)
            items, position = [_any_item("?1", flag[0])], flag.end()
        elif value.startswith("(", position):
            items, position = [], position + 1
            while match := _DICTIONARY_INNER.match(value, position):
                items.append(_any_item(match[1], match[2]))
                position = match.end()
            position = _matched(_INNER_CLOSE, value, position).end()
        else:
            match = _matched(_DICTIONARY_ITEM, value, position)
            items, position = [_any_item(match[1], match[2])], match.end()
        members[key[1]] = items
        if position < len(value):
            position = _matched(_DICTIONARY_NEXT, value, position).end()
    return members


def _matched(pattern: re.Pattern[str], value: str, position: int) -> re.Match[str]:
    match = pattern.match(value, position)
    if match is None:
        raise ValueError("malformed structured field")
    return match


def _any_item(text: str, parameters: str) -> Item:
    found = _ANY_PARAMETER.findall(parameters)
    return _any_bare(text), {key: _any_bare(value) if value else True for key, value in found}


def _any_bare(text: str) -> BareItem | float:
    return float(text) if text[0] in "-0123456789" and "." in text else _bare_item(text)


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
