"""Console command `voxel-inspect`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from voxel_prepare.cli.exits import run, told_in_one_line
from voxel_prepare.inspect.described import read_described
from voxel_prepare.inspect.report import as_json, print_table

COMMAND = "voxel-inspect"

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def voxel_inspect(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder that voxel-prepare made.")],
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw what was found as a picture, such as out.png.")
    ] = None,
    as_json_object: Annotated[bool, typer.Option("--json", help="One JSON object in place of the table.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False,
) -> None:
    """Shows what voxel-prepare found: per segment and level the order of frames, what must arrive, what may be missing.

    Exit codes: 0; 1 failed; 2 bad input.
    """
    with told_in_one_line(COMMAND, "interrupted", debug=debug):
        levels = read_described(folder)
        if plot is not None:
            from voxel_prepare.inspect.plot import draw  # needs an optional package

            draw(levels, plot)
        if as_json_object:
            print(json.dumps(as_json(levels)))
        else:
            print_table(levels)


def main() -> None:
    """Entry point."""
    run(app, COMMAND)
