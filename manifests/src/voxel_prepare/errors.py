"""The errors of preparation with their exit codes, and why a segment cannot be repaired. Every message is one line."""


class PreparationError(Exception):
    """Preparation failed while it worked: an encoder that ended early, a full disk."""

    exit_code = 1

    def __str__(self) -> str:
        return printable(super().__str__())


class MisalignedSegments(PreparationError):
    """A track cannot be cut into equal segments that each start with a key frame."""


class InputError(PreparationError):
    """A bad input file, folder or option."""

    exit_code = 2


class StaysPlain(InputError):
    """A set of representations that players may well play, but no index can describe; the message says why."""


class UnknownCoding(StaysPlain):
    """A representation that no index can describe, whatever is beside it: another codec, another encryption."""


class RepairError(Exception):
    """A stream or segment that cannot be repaired; `code` is the same string as in the player's `RepairError`."""

    code: str


class UnsupportedStream(RepairError):
    """The stream uses a feature that repair does not support: prepare it completely reliable."""

    code = "unsupported-stream"


class MalformedStream(RepairError):
    """The bytes have arrived, but they are not what they should be."""

    code = "malformed"


class MissingReliableBytes(RepairError):
    """Bytes that repair needs have not arrived: fetch the segment again."""

    code = "missing-reliable-bytes"


def printable(text: str) -> str:
    """The text in one line: line breaks, and what would control the terminal, as escapes."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
