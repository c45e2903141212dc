"""The order of the sub-packages: imports point one way, no module is part of an import circle, and codecs stay behind
their seam."""

from collections.abc import Callable
from pathlib import Path

import pytest
import voxel_prepare
from python_imports import Imports, circle, plant, read_imports

PACKAGE = "voxel_prepare"

LAYERS = ("isobmff", "repair", "(codecs)", "codecs", "analysis", "manifest", "media", "jobs", "live", "inspect", "cli")
"""From the lowest to the highest; the other modules beside them are below all. `codecs.py` lists the codecs."""


def codecs(imports: Imports) -> set[str]:
    """The sub-packages that implement `Codec` and have no other place in the order."""
    return {_part(name) for name, others in imports.items() if f"{PACKAGE}.repair.codec" in others} - set(LAYERS)


def upward(imports: Imports) -> list[str]:
    """Imports from a lower sub-package into a higher one."""
    layers = dict.fromkeys(codecs(imports), LAYERS.index("(codecs)")) | {name: at for at, name in enumerate(LAYERS)}
    return _found(imports, lambda name, other: layers.get(other, -1) > layers.get(name, -1))


def past_the_seam(imports: Imports) -> list[str]:
    """Imports from a codec's sub-package, but for those of `codecs.py` and its own."""
    hidden = codecs(imports)
    return _found(imports, lambda name, other: other in hidden and name not in (other, "codecs"))


def _found(imports: Imports, is_wrong: Callable[[str, str], bool]) -> list[str]:
    return [
        f"{name} imports {other}"
        for name, others in sorted(imports.items())
        for other in sorted(others)
        if is_wrong(_part(name), _part(other))
    ]


def _part(module: str) -> str:
    return [*module.split("."), ""][1]


@pytest.fixture(scope="module")
def imports() -> Imports:
    return read_imports(Path(voxel_prepare.__path__[0]))


def test_every_folder_has_its_place_in_the_order(imports: Imports) -> None:
    root = Path(voxel_prepare.__path__[0])
    folders = {path.parent.name for path in root.glob("*/__init__.py")}
    assert folders | {"codecs", "(codecs)"} == codecs(imports) | set(LAYERS)


def test_only_the_list_of_codecs_imports_a_codec(imports: Imports) -> None:
    assert "h264" in codecs(imports)
    assert past_the_seam(imports) == []


def test_no_sub_package_imports_from_a_higher_one(imports: Imports) -> None:
    assert upward(imports) == []


def test_no_module_imports_itself_through_others(imports: Imports) -> None:
    assert circle(imports) == []


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
    imports = plant(
        tmp_path / PACKAGE, {"h264/bits.py": line, "jobs/__init__.py": "", "jobs/plan.py": "def make_plan(): ..."}
    )
    assert upward(imports) == ["voxel_prepare.h264.bits imports voxel_prepare.jobs.plan"]


@pytest.mark.parametrize("line", ["from voxel_prepare.vp9.frames import Frame", "import voxel_prepare.vp9"])
def test_a_planted_import_past_the_seam_is_found(tmp_path: Path, line: str) -> None:
    codec = {
        "vp9/__init__.py": "",
        "vp9/frames.py": "from voxel_prepare.repair.codec import Codec",
        "repair/codec.py": "",
    }
    imports = plant(tmp_path / PACKAGE, {**codec, "repair/__init__.py": "", "codecs.py": line, "live/chunk.py": line})
    (found,) = past_the_seam(imports)
    assert found.startswith("voxel_prepare.live.chunk imports voxel_prepare.vp9")


def test_a_planted_relative_upward_import_is_found(tmp_path: Path) -> None:
    files = {"h264/bits.py": "from ..jobs import plan", "jobs/__init__.py": "", "jobs/plan.py": ""}
    assert upward(plant(tmp_path / PACKAGE, files)) == ["voxel_prepare.h264.bits imports voxel_prepare.jobs.plan"]


def test_a_planted_circle_is_found(tmp_path: Path) -> None:
    imports = plant(
        tmp_path / PACKAGE, {"h264/a.py": f"import {PACKAGE}.h264.b", "h264/b.py": f"import {PACKAGE}.h264.a"}
    )
    assert len(circle(imports)) == 3
