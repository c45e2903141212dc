"""Which track an address is of. Names are labels: no file is ever called so.

A track may be one request whose body goes on, `Streams(NAME.cmfv)`, or a request for its header and one for each of its
segments, whose names differ: `init-stream0.m4s` and `chunk-stream0-00001.m4s`, or `v0/init.mp4` and `v0/17.m4s`.
"""

import re

MANIFESTS = (".mpd", ".m3u8")

_STREAMS = re.compile(r"Streams\(([^()]+)\)", re.IGNORECASE)
_HEADER_WORD = re.compile(r"^(?:init|header)(?:[-_.]|$)|[-_.](?:init|header)$", re.IGNORECASE)
_MEDIA_WORD = re.compile(r"^(?:chunk|seg(?:ment)?|media|frag(?:ment)?)(?=[-_.\d])[-_.]?", re.IGNORECASE)
_NUMBER = re.compile(r"(?:^|[-_.])\d+$")


def is_manifest(path: str) -> bool:
    """Whether a path is that of a manifest or playlist, which encoders send beside their media."""
    return path.lower().endswith(MANIFESTS)


def header_name(path: str) -> str:
    """The name of the track whose header, or all of which, is sent to a path."""
    folder, stem = _parts(path)
    return _joined(folder, _HEADER_WORD.sub("", stem))


def media_names(path: str) -> tuple[str, str]:
    """The names that a track may have of which media is sent to a path: that of one address, or of one a segment."""
    folder, stem = _parts(path)
    return header_name(path), _joined(folder, _NUMBER.sub("", _MEDIA_WORD.sub("", stem)))


def _parts(path: str) -> tuple[str, str]:
    folder, _, name = path.strip("/").rpartition("/")
    if streams := _STREAMS.fullmatch(name):
        name = streams[1]
    stem, dot, _ = name.rpartition(".")
    return folder, stem if dot else name


def _joined(folder: str, stem: str) -> str:
    return "/".join(part for part in (folder, stem) if part) or "/"
