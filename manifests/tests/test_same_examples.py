import os
import subprocess
import sys
from pathlib import Path

import pytest
import same_examples

PROGRAM = """
{imports}
from hypothesis import core, given, strategies as st
from same_examples import use_same_examples

use_same_examples()
core.global_force_seed = 0  # as --hypothesis-seed=0


@given(number=st.integers(), data=st.binary(), share=st.floats())
def examples(number, data, share):
    print(number, data, share)


examples()
"""

CONSTANTS = "\n".join(
    f"C{number} = ({number}, b'{number}', 'text {number}', {number}.5)" for number in range(10**6, 10**6 + 200)
)


def examples_in(folder: Path, environment: dict[str, str], imports: str = "") -> list[str]:
    """The examples of a property that is tested in a process of its own."""
    folder.mkdir()
    (folder / "program.py").write_text(PROGRAM.format(imports=imports))
    (folder / "constants.py").write_text(CONSTANTS)
    paths = {"PYTHONPATH": str(Path(same_examples.__file__).parent)}
    clean = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("PYTEST")}
    command = [sys.executable, "program.py"]
    done = subprocess.run(
        command, cwd=folder, env=clean | paths | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_seed_has_the_same_examples_in_ci_and_beside_other_modules(tmp_path_factory: pytest.TempPathFactory) -> None:
    # Not in a folder named after a test: Hypothesis takes no constants from there.
    folder = tmp_path_factory.mktemp("seed")
    here = examples_in(folder / "here", {})
    assert len(here) >= 100
    assert examples_in(folder / "there", {"CI": "true"}, imports="import constants") == here
