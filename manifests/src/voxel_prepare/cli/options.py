"""Options that the commands share."""

from typing import Annotated

import typer
from typer.core import TyperOption


def _show_all(context: typer.Context, value: bool) -> None:
    if value:
        for parameter in context.command.params:
            if isinstance(parameter, TyperOption):
                parameter.hidden = False
        print(context.get_help())
        raise typer.Exit


Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]

HelpAll = Annotated[
    bool,
    typer.Option(
        "--help-all", is_eager=True, callback=_show_all, help="Show also what only tests and measurements need."
    ),
]
