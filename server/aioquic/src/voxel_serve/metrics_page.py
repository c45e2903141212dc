"""Counters and health on an address of their own: what a server has sent is nobody's business but the operator's."""

from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

from .cors import OriginPolicy, is_loopback
from .errors import HttpError
from .health import HEALTH_PATH
from .limits import Limits
from .metrics import CONTENT_TYPE, Metrics
from .process import process_text
from .shares import Shares
from .site import HttpRequest, HttpResponse, body_left_out, literal_response, text_response

METRICS_PATH = "/metrics"

CONNECTIONS = 16
"""Simultaneous ones to the counters."""


@dataclass
class MetricsPage:
    """Answers GET and HEAD for `METRICS_PATH` and `HEALTH_PATH`, without CORS: for no page."""

    counters: Metrics
    host: str
    """The address that it listens on; on loopback no other name is answered (DNS rebinding)."""

    check_health: Callable[[], None]
    """Raises `HttpError` with the reason if the server should get no new clients."""

    limits: Limits = field(default_factory=lambda: Limits(connections=CONNECTIONS, connections_per_address=0))
    metrics: Metrics = field(default_factory=Metrics)
    """Counts looks at the counters, which do not count themselves."""

    def __post_init__(self) -> None:
        self.requests = Shares(each=0)
        self._names = OriginPolicy(frozenset(), own_hosts=frozenset() if is_loopback(self.host) else None)

    async def respond(self, request: HttpRequest) -> HttpResponse:
        """The response to any request; never raises `HttpError`."""
        try:
            response = self._respond(request)
        except HttpError as error:
            response = text_response(error)
        return body_left_out(response) if request.method == "HEAD" else response

    def _respond(self, request: HttpRequest) -> HttpResponse:
        self._names.check_host(request.authority)
        if request.method not in ("GET", "HEAD"):
            message = "only GET and HEAD are answered"
            raise HttpError(HTTPStatus.METHOD_NOT_ALLOWED, message, (("allow", "GET, HEAD"),))
        path = request.target.partition("?")[0]
        if path == METRICS_PATH:
            return literal_response(self.counters.text() + process_text(), CONTENT_TYPE)
        if path == HEALTH_PATH:
            self.check_health()
            return literal_response(b"ok\n", "text/plain; charset=utf-8")
        raise HttpError(HTTPStatus.NOT_FOUND, f"the counters are at {METRICS_PATH}, health at {HEALTH_PATH}")
