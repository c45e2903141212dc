"""No module of voxel-serve imports itself through others, and none imports the programs on top."""

from pathlib import Path

import pytest
import voxel_serve
from python_imports import Imports, circle, plant, read_imports

PACKAGE = "voxel_serve"


@pytest.fixture(scope="module")
def imports() -> Imports:
    return read_imports(Path(voxel_serve.__path__[0]))


def test_no_module_imports_itself_through_others(imports: Imports) -> None:
    assert len(imports) > 40
    assert circle(imports) == []


def test_the_server_is_run_by_the_command_alone(imports: Imports) -> None:
    importing = {
        name: {other for other, its in imports.items() if f"{PACKAGE}.{name}" in its} for name in ("app", "cli")
    }
    assert importing == {"app": {"voxel_serve.cli"}, "cli": set()}


@pytest.mark.parametrize(
    "line",
    [
        "from .flow import Flow",
        "from . import flow",
        "from voxel_serve.flow import Flow",
        "import voxel_serve.flow",
        "def late():\n    from .flow import Flow",
    ],
)
def test_a_planted_circle_is_found(tmp_path: Path, line: str) -> None:
    planted = plant(tmp_path / PACKAGE, {"session.py": line, "flow.py": "from .session import Session"})
    assert set(circle(planted)) == {"voxel_serve.session", "voxel_serve.flow"}
