"""A client of another stack and another make (wtransport on quinn) than both servers and than the suite's own."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .servers import Server, built_program

MEDIA_BYTES = 1_000_000


@pytest.fixture(scope="module")
def probe() -> Path:
    program = built_program("voxel-probe", os.environ.get("VOXEL_PROBE"))
    if program is None:
        pytest.skip("voxel-probe is not built (server/quiche/README.md)")
    return program


@pytest.mark.parametrize("options", [[], ["--unreliable"]], ids=["reliable", "unreliable"])
def test_two_sessions_of_another_client_are_served(server: Server, probe: Path, options: list[str]) -> None:
    assert server.endpoint is not None
    words = ["--hash", server.certificate_hashes[0], "--target", "/media.mp4", "--sessions", "2", "--requests", "3"]
    output = subprocess.run([probe, server.endpoint, *words, *options], check=True, capture_output=True, timeout=60)
    result: dict[str, Any] = json.loads(output.stdout)
    assert (result["requests"], result["failedSessions"]) == (6, 0)
    # Datagrams may be lost where two programs share a busy machine; half of them are not.
    assert result["bytes"] > 0.5 * 6 * MEDIA_BYTES if "--unreliable" in options else result["bytes"] == 6 * MEDIA_BYTES
