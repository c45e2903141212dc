"""How the commands end: an error is one line on standard error, and an exit code."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import typer
from typer.exceptions import TyperException

from voxel_prepare.errors import PreparationError
from voxel_prepare.jobs.progress import say

EXIT_FAILURE = 1
EXIT_INTERRUPTED = 130


@contextmanager
def errors_in_one_line(command: str, interrupted: str, *, debug: bool) -> Iterator[None]:
    """Ends the command with one line on standard error if the block raises; `interrupted` is the line after Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        raise _ended(command, interrupted, EXIT_INTERRUPTED) from None
    except Exception as error:
        if debug:
            raise
        raise _ended(command, *_explained(error)) from error


def interrupt_on_sigterm() -> None:
    """Makes SIGTERM the same as Ctrl-C.

    An exception out of the signal handler could end asyncio between the start of a process and the first mention of
    it: the process would be left behind. So asyncio's own handler, which cancels the running tasks, gets the signal.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        handler = signal.getsignal(signal.SIGINT)
        (handler if callable(handler) else signal.default_int_handler)(number, frame)

    signal.signal(signal.SIGTERM, interrupt)


def run(app: typer.Typer, command: str) -> None:
    """Runs a command's app and exits; bad usage also gets one line."""
    try:
        sys.exit(app(standalone_mode=False))
    except TyperException as error:
        say(f"{command}: {error.format_message()}")
        sys.exit(error.exit_code)


def _explained(error: Exception) -> tuple[str, int]:
    if isinstance(error, PreparationError):
        return str(error), error.exit_code
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror, EXIT_FAILURE
    return f"internal error: {type(error).__name__}: {error} (--debug shows the traceback)", EXIT_FAILURE


def _ended(command: str, message: str, exit_code: int) -> typer.Exit:
    say(f"{command}: {message}")
    return typer.Exit(exit_code)
