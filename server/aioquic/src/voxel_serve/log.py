"""Structured logs on standard error: one event per line, as text or JSON."""

import json
import logging
import sys
from datetime import UTC, datetime
from enum import StrEnum

_LOGGER = logging.getLogger("voxel_serve")


class LogFormat(StrEnum):
    TEXT = "text"
    JSON = "json"


def log(event: str, level: int = logging.INFO, /, **fields: object) -> None:
    """Logs `event` with its fields."""
    _LOGGER.log(level, event, extra={"fields": fields})


def path_of(target: str) -> str:
    """A request target without its query: that may hold a token."""
    path, separator, _ = target.partition("?")
    return f"{path}?…" if separator else path


def configure_logging(log_format: LogFormat) -> None:
    """Sends all logs to standard error; of aioquic only warnings."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonFormatter() if log_format is LogFormat.JSON else _TextFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for noisy in ("quic", "http3", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def _fields(record: logging.LogRecord) -> dict[str, object]:
    fields: dict[str, object] = dict(getattr(record, "fields", {}))
    if record.exc_info and record.exc_info[1] is not None:
        fields["error"] = repr(record.exc_info[1])
    return fields


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {"time": _time(record), "level": record.levelname.lower(), "event": record.getMessage()}
        return json.dumps(line | _fields(record), default=str)


class _TextFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        # repr: what a client sent may hold line breaks and terminal controls.
        fields = (f" {name}={value!r}" for name, value in _fields(record).items())
        return f"{_time(record)} {record.levelname.lower()} {record.getMessage()}{''.join(fields)}"
