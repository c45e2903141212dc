"""Errors for the client (`HttpError`) and for the operator (`ConfigurationError`)."""

from http import HTTPStatus


class HttpError(Exception):
    """An error response; `message` becomes the one-line text body.

    docs/PROTOCOL.md, "Errors", lists the statuses and their meaning.
    """

    def __init__(self, status: HTTPStatus, message: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers


class ConfigurationError(Exception):
    """The server cannot start with this configuration; the message is one line for the operator. Exit code 2."""
