"""Console command `voxel-prepare`."""

import os
import signal
from pathlib import Path
from typing import Annotated, Literal

import typer

from voxel_prepare.analysis.segment_analysis import Metric, OrderName
from voxel_prepare.cli.exits import run, told_in_one_line
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.jobs.prepare_existing import prepare_ladder
from voxel_prepare.jobs.progress import summarise
from voxel_prepare.jobs.request import Request
from voxel_prepare.media.ladder import parse_levels
from voxel_prepare.media.preset import Preset

COMMAND = "voxel-prepare"

LEVELS_HELP = (
    "What to encode, as NAME[:MBPS],…: a name from 144p to 2160p alone stands for the thesis' bitrates of that size "
    "(720p is 2.35 and 3 Mbit/s), 720p:3 for one level of that size at that bitrate. Default: all thesis levels that "
    "the source is large enough for."
)

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def voxel_prepare(
    inputs: Annotated[
        list[Path], typer.Argument(metavar="INPUT", help="A video file; with --copy one file for each level.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for manifest.mpd and the media files.")],
    levels: Annotated[str | None, typer.Option(metavar="LIST", help=LEVELS_HELP)] = None,
    segment: Annotated[
        float, typer.Option(min=0.5, max=30, metavar="S", help="Seconds of a segment, rounded to whole frames.")
    ] = 4,
    slices: Annotated[
        int, typer.Option(min=1, max=32, metavar="N", help="Slices of a picture; more make repair finer.")
    ] = 1,
    preset: Annotated[Preset, typer.Option(help="x264's trade of time for quality.")] = Preset.SLOW,
    passes: Annotated[int, typer.Option(min=1, max=2, help="Encoding passes.")] = 2,
    start: Annotated[float, typer.Option(min=0, metavar="S", help="Leave out that much of the beginning.")] = 0,
    duration: Annotated[
        float | None, typer.Option(min=0.1, metavar="S", help="Prepare only that much. Default: to the end.")
    ] = None,
    copy: Annotated[
        bool,
        typer.Option("--copy", help="The inputs are the levels, H.264 in MP4, or an MPD of such; nothing is encoded."),
    ] = False,
    metric: Annotated[Metric, typer.Option(help="What scores are.")] = Metric.SSIM,
    order: Annotated[
        OrderName | None, typer.Option(help="Order of frames in all segments. Default: the best for each.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes at a time. Default: one for each core.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Let the workers of a Dask cluster do it, as tcp://host:8786.")
    ] = None,
    inline: Annotated[
        bool, typer.Option("--inline", help="Describe segments in the manifest, too, for other tools.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False,
) -> None:
    """Prepares video for voxel-dash: encodes it at several levels, ranks and scores its frames, writes the manifest.

    What is finished is used again by a second run. Exit codes: 0; 1 failed; 2 bad input; 130 interrupted.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with told_in_one_line(COMMAND, "interrupted; a second run goes on from what is finished", debug=debug):
        request = Request(
            inputs=tuple(inputs),
            out=out,
            media=_media(inputs, copied=copy),
            levels=tuple(parse_levels(levels)) if levels is not None else None,
            segment_seconds=segment,
            slices=slices,
            preset=preset,
            passes=passes,
            start=start,
            duration=duration,
            jobs=jobs or os.cpu_count() or 1,
            facts="index and attributes" if inline else "index",
            metric=metric,
            order=order,
            scheduler=scheduler,
        )
        request.check()
        summarise(prepare_ladder(request) if request.media == "ladder" else prepare(request))


def main() -> None:
    """Entry point."""
    run(app, COMMAND)


def _media(inputs: list[Path], *, copied: bool) -> Literal["encode", "copy", "ladder"]:
    if not copied:
        return "encode"
    return "ladder" if any(path.suffix == ".mpd" for path in inputs) else "copy"
