"""What can go wrong, and the exit code that says so. Every message is one line for a person."""


class PreparationError(Exception):
    """Preparation failed in its own work: an encoder that ended early, a full disk."""

    exit_code = 1


class MisalignedSegments(PreparationError):
    """A track cannot be cut into equal segments that each start with a key frame."""


class InputError(PreparationError):
    """The user asked for something that cannot be done: a bad file, folder or option."""

    exit_code = 2
