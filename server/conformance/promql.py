"""Which counters and labels a query of Prometheus names."""

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*"|'[^']*')|(?P<range>\[[^\]]*\])|(?P<number>\d+(?:\.\d+)?)|(?P<word>[A-Za-z_:][\w:]*)"""
    r"""|(?P<operator>=~|!~|!=|==|<=|>=|[-+*/%^<>=(){},])|(?P<space>\s+)""",
    re.VERBOSE,
)

_GROUPING = {"by", "without", "on", "ignoring", "group_left", "group_right"}
_OPERATORS = {"and", "or", "unless", "bool", "offset"}


@dataclass(frozen=True)
class Selector:
    """`name{label=~"value"}`: a counter, and what its labels must be."""

    name: str
    matchers: tuple[tuple[str, str, str], ...]
    """Label, operator and value."""


@dataclass(frozen=True)
class Query:
    """What a query names."""

    selectors: tuple[Selector, ...]
    labels: frozenset[str]
    """Labels by which results are grouped."""


def parse_query(text: str) -> Query:
    """Reads the part of PromQL that picks counters. Raises `ValueError` for what is not PromQL."""
    tokens = _tokens(text)
    selectors, labels, place = [], set(), 0
    while place < len(tokens):
        kind, value = tokens[place]
        following = tokens[place + 1][1] if place + 1 < len(tokens) else ""
        place += 1
        if kind != "word" or value in _OPERATORS:
            continue
        if value in _GROUPING:
            end = tokens.index(("operator", ")"), place)
            labels |= {word for kind, word in tokens[place:end] if kind == "word"}
            place = end + 1
        elif following == "{":
            end = tokens.index(("operator", "}"), place)
            selectors.append(Selector(value, _matchers(tokens[place + 1 : end])))
            place = end + 1
        elif following != "(" and following not in _GROUPING:
            selectors.append(Selector(value, ()))
    return Query(tuple(selectors), frozenset(labels))


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens, place = [], 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            raise ValueError(f"not PromQL at {text[place:]!r}")
        if match.lastgroup != "space":
            tokens.append((match.lastgroup, match.group()))
        place = match.end()
    return tokens


def _matchers(tokens: list[tuple[str, str]]) -> tuple[tuple[str, str, str], ...]:
    """`label operator "value"`, separated by commas."""
    words = [token for token in tokens if token != ("operator", ",")]
    triples = zip(words[::3], words[1::3], words[2::3], strict=True)
    return tuple((label, operator, value[1:-1]) for (_, label), (_, operator), (_, value) in triples)
