"""Console command `voxel-inspect`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from voxel_prepare.cli.exits import errors_in_one_line, run
from voxel_prepare.cli.options import Debug
from voxel_prepare.inspect.described import read_described
from voxel_prepare.inspect.report import as_json, print_table

COMMAND = "voxel-inspect"

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def voxel_inspect(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Output folder of voxel-prepare.")],
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a plot of the results, such as out.png.")
    ] = None,
    as_json_object: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the table.")] = False,
    debug: Debug = False,
) -> None:
    """Shows the results of voxel-prepare: for each segment the order of frames, the reliable and the droppable bytes.

    Exit codes: 0; 1 failed; 2 bad input.
    """
    with errors_in_one_line(COMMAND, "interrupted", debug=debug):
        representations = read_described(folder)
        if plot is not None:
            from voxel_prepare.inspect.plot import draw  # needs an optional package

            draw(representations, plot)
        if as_json_object:
            print(json.dumps(as_json(representations)))
        else:
            print_table(representations)


def main() -> None:
    """Entry point."""
    run(app, COMMAND)
