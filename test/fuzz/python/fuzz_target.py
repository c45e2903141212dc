"""Fuzzes one target with atheris: `fuzz_target.py TARGET CORPUS... -OPTION=VALUE...`, the options being libFuzzer's."""

import importlib
import sys
from pathlib import Path

import atheris

FOLDER = Path(__file__).parent

INSTRUMENTED = ["voxel_serve", "voxel_prepare", "h11", "targets", "support"]
"""Whose branches count as coverage: our packages, the reader of HTTP/1.1, and the invariants."""


def main() -> None:
    target, *arguments = sys.argv[1:]
    sys.path[:0] = [str(FOLDER), str(FOLDER.parents[2] / "manifests/tests")]
    with atheris.instrument_imports(include=INSTRUMENTED):
        fuzz = importlib.import_module(f"targets.{target}").fuzz
    atheris.Setup([sys.argv[0], *arguments], fuzz)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
