"""The report of a study: Markdown with a picture."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from analyse import StudyResult, SubjectResult

SCRIPTED = (
    "**Rehearsal with scripted answers (`scripted: true`).** A program made these votes by a rule that was made up. "
    "They are nobody's opinion, and nothing follows from them for any system."
)
NAMES = {"acr-hr": "ACR-HR", "dcr": "DCR"}


def write_report(out: Path, results: Sequence[StudyResult], *, scripted: bool) -> Path:
    """Writes `report.md` and a picture for each method; returns the report's path."""
    parts = ["# Study", *([SCRIPTED] if scripted else [])]
    for result in results:
        picture = f"{result.method}.png"
        _draw(out / picture, result, scripted=scripted)
        parts += _method(result, picture)
    path = out / "report.md"
    path.write_text("\n\n".join(parts) + "\n")
    return path


def _method(result: StudyResult, picture: str) -> list[str]:
    used = [one for one in result.subjects if not one.failed]
    return [
        f"## {NAMES[result.method]}",
        f"{result.votes} votes of {len(result.subjects)} subjects, {len(used)} of whom passed all checks of attention. "
        "Scores by ITU-T P.910's model of subjects (`sureal`), ± half of the 95 % interval; of systems over clips.",
        f"![scores of systems]({picture})",
        _table(
            ["system", "clips", "score", "DMOS", "seconds waited"],
            [
                [
                    one.label,
                    str(one.clips),
                    f"{one.score:.2f} ± {one.interval:.2f}",
                    _number(one.differential),
                    f"{one.seconds_waited:.1f}",
                ]
                for one in result.systems
            ],
        ),
        *_correlations(result),
        "### Subjects",
        _table(["subject", "bias", "inconsistency", "remarks"], list(map(_subject, result.subjects))),
        "### Clips",
        _table(
            ["clip", "content", "system", "SSIM", "stalls, s", "MOS", "score", "DMOS"],
            [
                [
                    *(
                        one.clip["id"],
                        str(one.clip["content"]),
                        one.clip["label"],
                        _number(one.clip["facts"]["score"], 4),
                    ),
                    f"{one.clip['facts']['stall_seconds']:.1f}",
                    f"{one.mos:.2f} ± {one.mos_interval:.2f}",
                    f"{one.score:.2f} ± {one.interval:.2f}",
                    _number(one.differential),
                ]
                for one in sorted(result.clips, key=lambda one: (one.clip["content"], -one.score))
            ],
        ),
    ]


def _correlations(result: StudyResult) -> list[str]:
    if not result.correlations:
        return ["Too few clips for a correlation with what was measured."]
    rows = [[one.name, f"{one.pearson:.2f}", f"{one.spearman:.2f}"] for one in result.correlations]
    head = "Correlation of clips' scores with what was measured:"
    return [head, _table(["measure", "Pearson", "Spearman"], rows)]


def _subject(one: SubjectResult) -> list[str]:
    remarks = [*one.failed, *(["outlier by BT.500"] if one.is_outlier else [])]
    left_out = "left out: " if one.failed else ""
    return [str(one.subject), _number(one.bias), _number(one.inconsistency), left_out + "; ".join(remarks)]


def _number(value: float | None, decimals: int = 2) -> str:
    return "–" if value is None else f"{value:.{decimals}f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _draw(path: Path, result: StudyResult, *, scripted: bool) -> None:
    figure, axes = plt.subplots(figsize=(7, 1.6 + 0.5 * len(result.systems)), layout="constrained")
    systems = result.systems[::-1]
    axes.errorbar(
        [one.score for one in systems],
        range(len(systems)),
        xerr=[one.interval for one in systems],
        fmt="o",
        color="#285fb8",
        capsize=4,
    )
    for one in result.clips:
        if one.clip["kind"] == "system":
            place = next(index for index, system in enumerate(systems) if system.label == one.clip["label"])
            axes.plot(one.score, place + 0.18, ".", color="#9aa3ad")
    axes.set_yticks(range(len(systems)), [one.label for one in systems])
    axes.set_ylim(-0.6, len(systems) - 0.4)
    axes.set_xlim(1, 5)
    axes.set_xlabel(f"{NAMES[result.method]}: score, 1 to 5 (dots: single clips)")
    if scripted:
        axes.set_title("Rehearsal: scripted answers, nobody's opinion", color="#b3261e", fontsize=11)
    figure.savefig(path, dpi=130)
    plt.close(figure)
