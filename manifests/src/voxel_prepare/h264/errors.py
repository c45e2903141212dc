"""Why a stream or a segment cannot be repaired; every message is one line."""


class RepairError(Exception):
    """Base class; `code` is the same string as in the player's `RepairError`."""

    code: str


class UnsupportedStream(RepairError):
    """The stream uses a feature of H.264 that repair does not support: prepare it completely reliable."""

    code = "unsupported-stream"


class MalformedStream(RepairError):
    """The bytes have arrived, but they are not H.264 in MP4."""

    code = "malformed"


class MissingReliableBytes(RepairError):
    """Bytes that repair needs have not arrived: fetch the segment again."""

    code = "missing-reliable-bytes"
