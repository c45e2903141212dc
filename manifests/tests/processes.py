"""Runs the commands, as processes or in this one."""

import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from voxel_prepare.cli import prepare

COMMAND = [sys.executable, "-c", "from voxel_prepare.cli.prepare import main; main()"]

LOOK_SECONDS = 0.05


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """`voxel-prepare` to its end."""
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)


def call(*arguments: str | Path, main: Callable[[], None] = prepare.main) -> subprocess.CompletedProcess[str]:
    """The same in this process, which saves the time that a process takes to start."""
    out, err = StringIO(), StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        patch.setattr(sys, "argv", [main.__module__, *map(str, arguments)])
        main()
    code = ended.value.code
    assert code is None or isinstance(code, int)
    return subprocess.CompletedProcess(arguments, code or 0, out.getvalue(), err.getvalue())


def visible(folder: Path) -> set[str]:
    """The names of what a user sees in a folder."""
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")} if folder.exists() else set()


def parts(folder: Path) -> set[str]:
    """The same without the hashes in the names of published files."""
    return {re.sub(r"\.[0-9a-f]{12}\.", ".", name) for name in visible(folder)}


def came(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether it is true within so many seconds, which a machine that stands still for a while does not use up."""
    for _ in range(round(seconds / LOOK_SECONDS)):
        if condition():
            return True
        time.sleep(LOOK_SECONDS)
    return False


def wait_for(condition: Callable[[], bool]) -> None:
    assert came(condition, 120), "waited in vain"


def processes_of_session(session: int) -> list[str]:
    """Command names of what still runs (proc(5), `stat`: pid, name, state, parent, group, session)."""
    running = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, fields = path.read_text().rsplit(")", 1)
        except OSError:  # it ended meanwhile
            continue
        state, _, _, its_session = fields.split()[:4]
        if int(its_session) == session and state != "Z":
            running.append(name)
    return running
