"""Console command `voxel-prepare`."""

import os
import re
from pathlib import Path
from typing import Annotated, Literal

import typer

from voxel_prepare.analysis.segment_analysis import Metric, OrderChoice, OrderName
from voxel_prepare.cli.exits import errors_in_one_line, interrupt_on_sigterm, run
from voxel_prepare.cli.options import Debug, HelpAll
from voxel_prepare.cli.serving import how_to_serve
from voxel_prepare.errors import InputError
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.jobs.progress import say, summarise
from voxel_prepare.jobs.request import Request
from voxel_prepare.media.encoders import CodecName, parse_codecs
from voxel_prepare.media.ladder import parse_representations
from voxel_prepare.media.preset import Preset
from voxel_prepare.media.profile import Profile

COMMAND = "voxel-prepare"

REPRESENTATIONS_HELP = (
    "What to encode, as SIZE[:MBPS],…: a size from 144p to 2160p alone means all bitrates of the thesis for that size "
    "(720p: 2.35 and 3 Mbit/s), 720p:3 means one representation of that size at 3 Mbit/s. Default: all sizes of the "
    "thesis up to that of the source."
)

CODEC_HELP = (
    "What to encode in: h264 (x264), av1 (SVT-AV1), hevc (x265) or vp9 (libvpx), or several as a list, such as "
    "av1,h264: a ladder each in one manifest, the one that players prefer first. The thesis' bitrates are for H.264: "
    "AV1 takes .72 of them and HEVC .8, at about the same SSIM."
)

PRESET_HELP = (
    "How fast: slower ones look better at the same bitrate. x264's and x265's presets; SVT-AV1 takes its presets from "
    "10 (ultrafast) to 6 (slow) and 3 (veryslow), libvpx its speeds from 5 to 2 and 0."
)

PROFILE_HELP = (
    "Which frames encoders make. droppable: such that more bytes may be missing at the same score, as by half a second "
    "of B pictures in a row (H.264, HEVC), a hierarchy (AV1), error resilience (VP9); thesis: the encoder's defaults."
)

CHOICE_HELP = (
    "How the best order of a segment is found. measured: a few prefixes of each order are decoded and scored; "
    "predicted: from the undamaged pictures alone, which is faster and less reliable."
)

HLS_FILES_HELP = (
    "Also write each segment to a file of its own, which the HLS playlists name: for players that read byte ranges of "
    "one file wrongly, such as FFmpeg 9.0. Takes the room of the media twice."
)

CONTENT_KEY = re.compile(r"([0-9a-fA-F]{32}):([0-9a-fA-F]{32})")

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def voxel_prepare(
    inputs: Annotated[
        list[Path],
        typer.Argument(metavar="INPUT", help="A video file; with --copy one file for each representation, or an MPD."),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for manifest.mpd and the media files.")],
    representations: Annotated[str | None, typer.Option(metavar="LIST", help=REPRESENTATIONS_HELP)] = None,
    codec: Annotated[str, typer.Option(metavar="LIST", help=CODEC_HELP)] = CodecName.H264,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Take DIR's present video, or the same with other options, out of its place."),
    ] = False,
    segment: Annotated[
        float,
        typer.Option(min=0.5, max=30, metavar="S", help="Duration of a segment in seconds, rounded to whole frames."),
    ] = 4,
    slices: Annotated[
        int,
        typer.Option(min=1, max=32, metavar="N", help="Slices per picture of H.264; repair is finer with more slices."),
    ] = 1,
    preset: Annotated[Preset, typer.Option(help=PRESET_HELP)] = Preset.SLOW,
    passes: Annotated[int, typer.Option(min=1, max=2, hidden=True, help="Encoding passes.")] = 2,
    profile: Annotated[Profile, typer.Option(help=PROFILE_HELP)] = Profile.DROPPABLE,
    start: Annotated[float, typer.Option(min=0, metavar="S", help="Skip the first S seconds.")] = 0,
    duration: Annotated[
        float | None, typer.Option(min=0.1, metavar="S", help="Prepare only S seconds. Default: to the end.")
    ] = None,
    copy: Annotated[
        bool,
        typer.Option(
            "--copy",
            help="Encode nothing: the inputs are the representations, in H.264, HEVC, VP9 or AV1 (a ladder each), or "
            "an MPD of such in MP4.",
        ),
    ] = False,
    key: Annotated[
        list[str] | None,
        typer.Option(metavar="KID:KEY", help="Key of encrypted media for --copy, in hexadecimal. Repeatable."),
    ] = None,
    metric: Annotated[Metric, typer.Option(help="Metric of the scores.")] = Metric.SSIM,
    order: Annotated[
        OrderName | None,
        typer.Option(hidden=True, help="Order of frames in all segments. Default: the best one for each segment."),
    ] = None,
    choice: Annotated[OrderChoice, typer.Option(hidden=True, help=CHOICE_HELP)] = OrderChoice.MEASURED,
    hold: Annotated[
        bool,
        typer.Option("--hold", hidden=True, help="Hold pictures in place of H.264 frames where that scores better."),
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Number of parallel processes. Default: one for each core.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Use the workers of a Dask cluster, such as tcp://host:8786.")
    ] = None,
    inline: Annotated[
        bool, typer.Option("--inline", help="Also describe segments in attributes of the MPD, for other tools.")
    ] = False,
    no_next: Annotated[
        bool, typer.Option("--no-next", hidden=True, help="Do not say how the result is served.")
    ] = False,
    hls_files: Annotated[bool, typer.Option("--hls-files", help=HLS_FILES_HELP)] = False,
    debug: Debug = False,
    help_all: HelpAll = False,
) -> None:
    """Prepares video for voxel-dash: encodes several representations, ranks and scores frames, writes the manifest.

    A second run with the same input and options reuses what is finished.

    Exit codes: 0; 1 failed; 2 bad input; 130 interrupted.
    """
    interrupt_on_sigterm()
    with errors_in_one_line(COMMAND, "interrupted; a second run continues from what is finished", debug=debug):
        request = Request(
            inputs=tuple(inputs),
            out=out,
            media=_media(inputs, copied=copy),
            representations=tuple(parse_representations(representations)) if representations is not None else None,
            segment_seconds=segment,
            slices=slices,
            preset=preset,
            passes=passes,
            profile=profile,
            start=start,
            duration=duration,
            jobs=jobs or os.cpu_count() or 1,
            facts="index and attributes" if inline else "index",
            metric=metric,
            order=order,
            choice=choice,
            hold=hold,
            hls_files=hls_files,
            keys=tuple(map(_content_key, key or [])),
            codecs=parse_codecs(codec),
            replace=replace,
            scheduler=scheduler,
        )
        request.check()
        summarise(prepare(request))
        if no_next:
            return
        for line in how_to_serve(out, inputs[0].resolve().parent if request.media == "existing" else out):
            say(line)


def main() -> None:
    """Entry point."""
    run(app, COMMAND)


def _content_key(text: str) -> tuple[bytes, bytes]:
    found = CONTENT_KEY.fullmatch(text)
    if found is None:
        raise InputError("--key must be KID:KEY, each of 32 hexadecimal digits")  # the text may be a secret
    return bytes.fromhex(found[1]), bytes.fromhex(found[2])


def _media(inputs: list[Path], *, copied: bool) -> Literal["encode", "copy", "existing"]:
    if not copied:
        return "encode"
    return "existing" if any(path.suffix == ".mpd" for path in inputs) else "copy"
