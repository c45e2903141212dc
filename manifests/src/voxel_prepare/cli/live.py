"""Console command `voxel-live`."""

from pathlib import Path
from typing import Annotated

import typer

from voxel_prepare.cli.exits import errors_in_one_line, run
from voxel_prepare.cli.options import Debug, HelpAll
from voxel_prepare.cli.serving import how_to_serve
from voxel_prepare.errors import InputError
from voxel_prepare.jobs.progress import say
from voxel_prepare.live.clip import ClipRequest, make_clip
from voxel_prepare.live.copied.ingest.address import parse_ingest
from voxel_prepare.live.copied.request import CopyRequest
from voxel_prepare.live.copied.session import run_copy
from voxel_prepare.live.moments import utc
from voxel_prepare.live.replay import run_replay
from voxel_prepare.live.request import LiveRequest, parse_live_codec
from voxel_prepare.live.run import run_live, stop_on_interrupt
from voxel_prepare.live.status import LiveSummary
from voxel_prepare.media.encoders import CodecName
from voxel_prepare.media.ladder import parse_representations

COMMAND = "voxel-live"

DEFAULT_SEGMENT = 1.0
"""Seconds."""

INPUT_HELP = (
    "A file, which is played in real time and again from its start; - for standard input; or a URL that PyAV opens, "
    "such as udp://:5000 or rtmp://host/app/stream."
)

REPRESENTATIONS_HELP = (
    "What to encode, as SIZE:MBPS,…, such as 240p:0.4,720p:2.5. Default: 240p:0.2,240p:0.4,360p:0.8,480p:1.3,720p:2.5, "
    "up to the size of the input; the first, at half the rate, is for links that fade."
)

COPY_HELP = (
    "Encode nothing: the inputs are H.264 with key frames at the same times, and AAC. Each of them, or of their "
    "tracks, is a representation; sound is that of the first input that has some, and what only others have."
)

CLIP_HELP = (
    "INPUT is an output folder of this command, which may be growing: make of its segments from --from to --to a "
    "presentation to be played on demand. Files are linked or copied; nothing is encoded."
)

FROM_HELP = (
    "Where a clip begins: seconds before the newest that is there, or UTC such as 2026-11-29T12:00:00Z. Clips are cut "
    "where segments are."
)

INGEST_HELP = (
    "Listen at HOST:PORT, or :PORT for all addresses, for encoders that send CMAF over HTTP (POST or PUT; a track in "
    "one long request or one a segment), and copy their tracks as --copy does. Inputs may be there beside them."
)

SPEED_HELP = (
    "With --copy: read files and pipes so many times as fast as they play, in a time that goes with them, which begins "
    "now: to try what becomes of hours. It begins once all inputs are there, and stands still where one is away."
)

TOKEN_HELP = (
    "What encoders must send as Authorization: Bearer TOKEN, or as ?token=TOKEN: 16 characters or more; @FILE reads it "
    "from a file. Needed but on loopback."
)

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def voxel_live(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for manifest.mpd and the media files.")],
    inputs: Annotated[list[str] | None, typer.Argument(metavar="INPUT…", help=INPUT_HELP)] = None,
    copy: Annotated[bool, typer.Option("--copy", help=COPY_HELP)] = False,
    ingest: Annotated[str | None, typer.Option(metavar="HOST:PORT", help=INGEST_HELP)] = None,
    ingest_token: Annotated[
        str | None, typer.Option(metavar="TOKEN", envvar="VOXEL_INGEST_TOKEN", help=TOKEN_HELP)
    ] = None,
    representations: Annotated[str | None, typer.Option(metavar="LIST", help=REPRESENTATIONS_HELP)] = None,
    codec: Annotated[
        str, typer.Option(metavar="CODEC", help="What to encode in: h264, or av1, which takes a quarter more time.")
    ] = CodecName.H264,
    levels: Annotated[
        str | None, typer.Option(metavar="LIST", help="Earlier name of --representations.", hidden=True)
    ] = None,
    segment: Annotated[
        float | None,
        typer.Option(
            min=0.25,
            max=10,
            metavar="S",
            help="Duration of a segment in seconds, rounded to whole frames. Default: 1; with --copy as the key frames "
            "come.",
        ),
    ] = None,
    chunk: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=60,
            metavar="N",
            help="Most frames of a chunk: a P frame and its B frames stay together. Default: 4; 2 for less latency "
            "than 0.75 s.",
        ),
    ] = None,
    latency: Annotated[
        float, typer.Option(min=0.2, max=30, metavar="S", help="How far players should play behind the capture.")
    ] = 1,
    window: Annotated[
        float,
        typer.Option(min=10, max=86_400, metavar="S", help="How far back viewers can seek; older files go."),
    ] = 60,
    keep: Annotated[
        bool, typer.Option("--keep", help="Delete nothing: all of it can be played when it has ended.")
    ] = False,
    clock: Annotated[
        bool, typer.Option("--clock", help="Draw the time of capture (UTC) into the pictures: so latency can be seen.")
    ] = False,
    replay: Annotated[
        bool,
        typer.Option(
            "--replay", hidden=True, help="INPUT is an output folder of this command: its media again, at new times."
        ),
    ] = False,
    speed: Annotated[float | None, typer.Option(min=1, max=1000, metavar="N", hidden=True, help=SPEED_HELP)] = None,
    clip: Annotated[bool, typer.Option("--clip", help=CLIP_HELP)] = False,
    start: Annotated[str | None, typer.Option("--from", metavar="TIME", help=FROM_HELP)] = None,
    end: Annotated[
        str | None, typer.Option("--to", metavar="TIME", help="The same of its end. Default: the newest.")
    ] = None,
    debug: Debug = False,
    help_all: HelpAll = False,
) -> None:
    """Encodes an input in real time, or copies encoded ones (--copy), into a growing low-latency DASH stream, and ranks
    its frames on the way.

    Ctrl-C or the end of the input ends the stream, which can then be played on demand. Started again within a minute,
    the command goes on with a stream that was not ended.

    Exit codes: 0; 1 failed; 2 bad input; 130 interrupted while it ended.
    """
    stop = stop_on_interrupt()
    with errors_in_one_line(COMMAND, "interrupted; the presentation has not been ended", debug=debug):
        names = inputs or []
        if clip:
            _make_clip(names, out, start, end, copies=copy or replay)
            return
        if start is not None or end is not None:
            raise InputError("--from and --to are for --clip")
        parsed_codec = parse_live_codec(codec)
        if copy or ingest is not None:
            if representations is not None or levels is not None or clock or replay or codec != CodecName.H264:
                raise InputError("--copy encodes nothing: leave out --representations, --codec, --clock and --replay")
            address = None if ingest is None else parse_ingest(ingest, ingest_token)
            if not names and address is None:
                raise InputError("expected an INPUT or --ingest, got none")
            if speed is not None and (address is not None or any("://" in name for name in names)):
                raise InputError("--speed is for files and pipes: a network sets the pace itself")
            copied = CopyRequest(tuple(names), out, segment, chunk, latency, window, keep, address, speed or 1)
            _say_summary(run_copy(copied, stop))
            return
        if speed is not None:
            raise InputError("--speed is for --copy")
        if not names:
            raise InputError("expected an INPUT, got none")
        if len(names) > 1:
            raise InputError(f"expected one input, got {len(names)}: several are for --copy")
        if replay:
            run_replay(Path(names[0]), out, latency, window, stop)
            return
        if levels is not None:
            say(f"{COMMAND}: --levels is now --representations, and goes with the next release")
        wanted = levels if representations is None else representations
        request = LiveRequest(
            input=names[0],
            out=out,
            representations=tuple(parse_representations(wanted)) if wanted is not None else None,
            segment=DEFAULT_SEGMENT if segment is None else segment,
            chunk=chunk,
            latency=latency,
            window=window,
            keep=keep,
            clock=clock,
            codec=parsed_codec,
        )
        _say_summary(run_live(request, stop))


def _make_clip(inputs: list[str], out: Path, start: str | None, end: str | None, *, copies: bool) -> None:
    if copies or len(inputs) != 1 or start is None:
        raise InputError("--clip takes one folder, --from TIME, and neither --copy nor --replay")
    made = make_clip(ClipRequest(Path(inputs[0]), out, start, end))
    for track in made.left_out:
        say(f"{track}: left out: it has not all of these segments")
    say(
        f"{utc(made.start)} to {utc(made.end)}, cut where segments of {float(made.segment_seconds):.3g} s are: "
        f"{', '.join(made.tracks)}"
    )
    for line in how_to_serve(out):
        say(line)


def _say_summary(summary: LiveSummary) -> None:
    say(
        f"{summary.seconds:.0f} s: delay from capture to record {summary.delay_p95:.0f} ms (p95), "
        f"{summary.cores:.2f} cores"
    )


def main() -> None:
    """Entry point."""
    run(app, COMMAND)
