"""What the modules of a Python package import of each other: for the tests that no import circle is in it."""

import ast
from collections.abc import Container, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

Imports = Mapping[str, set[str]]
"""For each module the modules of its package that it imports."""


def read_imports(root: Path) -> Imports:
    """Imports of all modules of the package in folder `root`, also those inside functions."""
    paths = {_module_name(root, path): path for path in root.rglob("*.py")}
    return {name: set(_imported(name, path, paths.keys())) for name, path in paths.items()}


def circle(imports: Imports) -> list[str]:
    """The modules of one import circle; empty if there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def plant(package: Path, files: Mapping[str, str]) -> Imports:
    """The imports of a package made of these files, by path, in a folder that is not there yet."""
    for name, text in {"__init__.py": "", **files}.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read_imports(package)


def _module_name(root: Path, path: Path) -> str:
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(name: str, path: Path, modules: Container[str]) -> Iterator[str]:
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            members = [f"{source}.{alias.name}" for alias in node.names]
            names = [member if member in modules else source for member in members]
        yield from (name for name in names if name in modules)
