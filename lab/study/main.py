"""`npm run study`: what to do is the first word. See docs/STUDY.md."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from study_error import StudyError


def say(text: str) -> None:
    """A line about what goes on."""
    print(f"study: {text}", file=sys.stderr, flush=True)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit() and int(width) % 2 == int(height) % 2 == 0 < int(width) * int(height)):
        raise argparse.ArgumentTypeError(f"must be WIDTHxHEIGHT, both even, got {text!r}")
    return int(width), int(height)


def _parse(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="study")
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make")
    make.add_argument("results", type=Path)
    make.add_argument("--out", type=Path, required=True)
    make.add_argument("--method", choices=["acr-hr", "dcr", "both"], required=True)
    make.add_argument("--subjects", type=int, required=True)
    make.add_argument("--seconds", type=float, required=True)
    make.add_argument("--clips", type=int, required=True)
    make.add_argument("--seed", type=int, required=True)
    make.add_argument("--size", type=_size)
    make.add_argument("--spinner", action="store_true")
    make.add_argument("--all", action="store_true")
    rehearse = commands.add_parser("rehearse")
    rehearse.add_argument("study", type=Path)
    rehearse.add_argument("--seed", type=int, required=True)
    analysis = commands.add_parser("analyse")
    analysis.add_argument("study", type=Path)
    return parser.parse_args(words)


def _make(options: argparse.Namespace) -> None:
    from make import StudySettings, make_study

    settings = StudySettings(
        methods=("acr-hr", "dcr") if options.method == "both" else (options.method,),
        subjects=options.subjects,
        seconds=options.seconds,
        spans=options.clips,
        seed=options.seed,
        spinner=options.spinner,
        size=options.size,
        takes_all=options.all,
    )
    make_study(options.results, options.out, settings, say)
    say(f"serve {options.out / 'site'} from any web server and open it; keep {options.out / 'key.json'} from subjects")


def _analyse(study: Path) -> None:
    from analyse import analyse
    from report import write_report
    from votes import are_scripted, read_key, read_votes

    key = read_key(study)
    votes = {method: read_votes(study, method, key) for method in ("acr-hr", "dcr")}
    results = [analyse(method, own, key) for method, own in votes.items() if own]
    if not results:
        raise StudyError(f"{study / 'votes'}: expected files of votes, found none")
    scripted = any(map(are_scripted, votes.values()))
    path = write_report(study, results, scripted=scripted)
    print(f"{'scripted answers: nothing follows from them; ' if scripted else ''}see {path}")


def main() -> int:
    """Exit codes: 0, or 2 for bad input."""
    options = _parse(sys.argv[1:])
    try:
        if options.command == "make":
            _make(options)
        elif options.command == "rehearse":
            from answers import write_answers

            write_answers(options.study, options.seed, say)
        else:
            _analyse(options.study)
    except StudyError as error:
        say(f"error: {error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
