"""`--check-health`: what container tools ask, which have no other program in the image.

Also `python -m voxel_serve.health HOST:PORT`, which starts in a fraction of the time: it loads nothing of the server.
"""

import http.client
import sys

HEALTH_PATH = "/health"

_PATIENCE_SECONDS = 2.0


def ask_health(address: str) -> int:
    """Asks the server whose counters are at `HOST:PORT`, and prints its answer; the exit code."""
    connection = http.client.HTTPConnection(address, timeout=_PATIENCE_SECONDS)
    try:
        connection.request("GET", HEALTH_PATH)
        response = connection.getresponse()
        answer = response.read().decode(errors="replace").strip()
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "strerror", None) or str(error)
        print(f"voxel-serve: no answer from {address}: {reason}", file=sys.stderr)
        return 1
    finally:
        connection.close()
    if response.status != http.client.OK:
        print(f"voxel-serve: not well: {answer}", file=sys.stderr)
        return 1
    print(answer)
    return 0


if __name__ == "__main__":
    sys.exit(ask_health(sys.argv[1]))
