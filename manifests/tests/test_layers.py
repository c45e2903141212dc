"""The order of the sub-packages: imports point one way, and no module is part of an import circle."""

import ast
from collections.abc import Container, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
import voxel_prepare

PACKAGE = "voxel_prepare"

LAYERS = ("isobmff", "h264", "analysis", "manifest", "media", "jobs", "live", "inspect", "cli")
"""From the lowest to the highest; the modules beside them are below all."""

Imports = Mapping[str, set[str]]
"""For each module the modules of this package that it imports."""


def read_imports(root: Path) -> Imports:
    """Of all modules of the package in folder `root`, also those inside functions."""
    paths = {_module_name(root, path): path for path in root.rglob("*.py")}
    return {name: set(_imported(path, paths.keys())) for name, path in paths.items()}


def _module_name(root: Path, path: Path) -> str:
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(path: Path, modules: Container[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            members = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [member if member in modules else str(node.module) for member in members]
        yield from (name for name in names if name in modules)


def upward(imports: Imports) -> list[str]:
    """Imports from a lower sub-package into a higher one."""
    return [
        f"{name} imports {other}"
        for name, others in sorted(imports.items())
        for other in sorted(others)
        if _layer(other) > _layer(name)
    ]


def _layer(module: str) -> int:
    part = [*module.split("."), ""][1]
    return LAYERS.index(part) if part in LAYERS else -1


def circle(imports: Imports) -> list[str]:
    """The modules of one import circle; empty if there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


@pytest.fixture(scope="module")
def imports() -> Imports:
    return read_imports(Path(voxel_prepare.__path__[0]))


def test_every_folder_has_its_place_in_the_order() -> None:
    root = Path(voxel_prepare.__path__[0])
    assert {path.parent.name for path in root.glob("*/__init__.py")} == set(LAYERS)


def test_no_sub_package_imports_from_a_higher_one(imports: Imports) -> None:
    assert upward(imports) == []


def test_no_module_imports_itself_through_others(imports: Imports) -> None:
    assert circle(imports) == []


def plant(root: Path, files: Mapping[str, str]) -> Imports:
    for name, text in {"__init__.py": "", **files}.items():
        path = root / PACKAGE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read_imports(root / PACKAGE)


@pytest.mark.parametrize(
    "line",
    [
        "from voxel_prepare.jobs.plan import make_plan",
        "import voxel_prepare.jobs.plan",
        "from voxel_prepare.jobs import plan",
        "def late():\n    from voxel_prepare.jobs.plan import make_plan",
    ],
)
def test_a_planted_upward_import_is_found(tmp_path: Path, line: str) -> None:
    imports = plant(tmp_path, {"h264/bits.py": line, "jobs/__init__.py": "", "jobs/plan.py": "def make_plan(): ..."})
    assert upward(imports) == ["voxel_prepare.h264.bits imports voxel_prepare.jobs.plan"]


def test_a_planted_circle_is_found(tmp_path: Path) -> None:
    imports = plant(tmp_path, {"h264/a.py": f"import {PACKAGE}.h264.b", "h264/b.py": f"import {PACKAGE}.h264.a"})
    assert len(circle(imports)) == 3
