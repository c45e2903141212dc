"""Every kept input passes its target: fuzzing starts from them, and each finding has become one."""

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parents[2] / "manifests/tests")]

TARGETS = sorted(path.stem for path in (FOLDER / "targets").glob("[!_]*.py"))
SEEDS = sorted((FOLDER / "seeds").glob("*/*"))


def test_every_target_has_seeds() -> None:
    assert sorted({seed.parent.name for seed in SEEDS}) == TARGETS


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed.parent.name}/{seed.name}")
def test_seeds(seed: Path) -> None:
    importlib.import_module(f"targets.{seed.parent.name}").fuzz(seed.read_bytes())
