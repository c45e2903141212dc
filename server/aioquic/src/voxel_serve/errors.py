"""What can go wrong, for the client (`HttpError`) and for the operator (`ConfigurationError`)."""

from http import HTTPStatus


class HttpError(Exception):
    """An answer other than the one asked for; `message` becomes the one-line text body.

    The statuses in use and their meaning stand in docs/PROTOCOL.md, "Errors".
    """

    def __init__(self, status: HTTPStatus, message: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers


class ConfigurationError(Exception):
    """The server cannot start as asked; the message is one line for the operator. Exit code 2."""
