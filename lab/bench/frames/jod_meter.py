"""ColorVideoVDP for lab/bench/frames/jod.py, in a Python that has it: a line of JSON for each clip in, one out."""

import json
import sys
from contextlib import redirect_stdout

import numpy as np
import pycvvdp
import torch

DIAGONAL_INCHES = 24
DISTANCE_METRES = 0.6
"""A monitor on a desk, which the pictures fill."""


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        with redirect_stdout(sys.stderr):
            jod = measure(np.load(request["test"]), np.load(request["reference"]), request["rate"])
        print(json.dumps({"jod": jod}), flush=True)


def measure(test: np.ndarray, reference: np.ndarray, rate: float) -> float:
    """Pictures by rows, columns and RGB."""
    _, height, width, _ = reference.shape
    geometry = pycvvdp.vvdp_display_geometry(
        (width, height), distance_m=DISTANCE_METRES, diagonal_size_inches=DIAGONAL_INCHES
    )
    metric = pycvvdp.cvvdp(
        display_name="standard_fhd", display_geometry=geometry, quiet=True, device=torch.device("cpu")
    )
    jod, _ = metric.predict(test, reference, dim_order="FHWC", frames_per_second=rate)
    return float(jod)


if __name__ == "__main__":
    main()
