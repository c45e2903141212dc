"""voxel-serve that writes every request with its fields to the file TAP, an object a line: over HTTP and sessions."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from voxel_serve import request as requests
from voxel_serve.cli import main
from voxel_serve.site import Site


def _write(over: str, target: str, headers: Mapping[str, str]) -> None:
    with Path(os.environ["TAP"]).open("a") as tap:
        tap.write(json.dumps({"over": over, "target": target, "headers": dict(headers)}) + "\n")


_respond, _interpret = Site.respond, requests.interpret


async def respond(self, request):
    _write("http", request.target, request.headers)
    return await _respond(self, request)


def interpret(head, limits):
    request = _interpret(head, limits)
    _write("session", request.target, requests.combined_headers(head.headers))
    return request


Site.respond = respond
requests.interpret = interpret
main()
