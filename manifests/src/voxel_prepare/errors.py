"""The errors of preparation and their exit codes. Every message is one line for the user."""


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


def printable(text: str) -> str:
    """The text in one line: line breaks, and what would control the terminal, as escapes."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
