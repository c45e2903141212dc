"""Studies, from a results folder to a report."""

import json
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import av
import pytest
from answers import write_answers
from checks import failed_checks
from example_results import RATE, SECONDS, STALL
from make import StudySettings, make_study
from sessions import Sample, Stall, find_stalls, place_stalls, read_sessions
from sheets import Stimulus, make_sheet, presentation_seconds
from study_error import StudyError
from votes import Vote, read_key, read_votes

HERE = Path(__file__).parent
STUDY_PYTHON = Path(sys.executable).parents[1] / "study" / "bin" / "python"
SETTINGS = StudySettings(("acr-hr", "dcr"), 10, SECONDS - 0.5, 1, 7, spinner=True, size=None)


@pytest.fixture(scope="module")
def study(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("study")
    make_study(results, out, SETTINGS, lambda _: None)
    return out


def pictures_of(clip: Path) -> list[bytes]:
    with av.open(str(clip)) as container:
        return [frame.to_ndarray().tobytes() for frame in container.decode(video=0)]


def test_stalls_are_where_and_as_long_as_playback_stood(results: Path) -> None:
    quick, slow = sorted(read_sessions(results), key=lambda session: session.system)
    assert quick.stalls == []
    assert [(stall.position, stall.seconds) for stall in slow.stalls] == [pytest.approx(STALL, abs=0.01)]


def test_late_samples_are_no_stalls_and_a_short_stall_between_two_samples_is_one() -> None:
    jitter = [Sample(at, at - 1) for at in (1.0, 1.26, 1.49, 1.77, 2.6, 2.75)]
    assert find_stalls(jitter) == []
    short = [Sample(2, 1), Sample(2.25, 1.25), Sample(2.5, 1.3), Sample(2.75, 1.55)]
    assert [(stall.position, stall.seconds) for stall in find_stalls(short)] == [pytest.approx((1.3, 0.2))]


def test_creeping_playback_is_no_stall_of_which_the_player_says_nothing() -> None:
    progress = [0.25] * 4 + [0.1] * 4 + [0.25] * 4 + [0.0] * 8 + [0.25] * 4
    samples = [Sample(1 + number / 4, 1 + sum(progress[:number])) for number in range(len(progress) + 1)]
    creeping, standing = find_stalls(samples)
    assert creeping.seconds < standing.seconds
    assert place_stalls(samples, 0, 0) == []
    assert place_stalls(samples, 1, 2.1) == [Stall(standing.position, 2.1)]


def test_a_clip_holds_its_picture_for_as_long_as_the_stall(study: Path) -> None:
    key = json.loads((study / "key.json").read_text())["clips"]
    clips = {clip["system"]: clip for clip in key}
    lengths = {system: len(pictures_of(study / f"site/clips/{clip['id']}.mp4")) for system, clip in clips.items()}
    media = round(SETTINGS.seconds * RATE)
    assert lengths["reference"] == lengths["quick"] == lengths["bad"] == pytest.approx(media, abs=1)
    assert lengths["slow"] - lengths["quick"] == round(STALL[1] * RATE)
    assert clips["slow"]["facts"]["stall_seconds"] == pytest.approx(STALL[1], abs=0.01)


def test_sheets_and_clips_do_not_say_what_they_are(study: Path) -> None:
    site = [path for path in (study / "site").rglob("*") if path.suffix in {".json", ".mp4"}]
    told = " ".join(path.name + (path.read_text() if path.suffix == ".json" else "") for path in site)
    assert not any(word in told for word in ("quick", "slow", "reference", "bad", "gold"))
    assert not (study / "site" / "key.json").exists()


def test_orders_differ_between_subjects_and_repeat_no_content_in_a_row() -> None:
    stimuli = [Stimulus((f"{content}{clip}",), content, 10) for content in range(3) for clip in range(4)]
    sheets = [make_sheet(stimuli, stimuli[:1], subject, 1, 1200) for subject in range(1, 9)]
    orders = [tuple(one.clips for one in sitting.rated) for (sitting,) in sheets]
    assert len(set(orders)) == len(orders)
    for (sitting,) in sheets:
        assert Counter(sitting.rated) == Counter(stimuli)
        contents = [one.content for one in sitting.rated]
        assert all(one != other for one, other in pairwise(contents))
    assert sheets[0] == make_sheet(stimuli, stimuli[:1], 1, 1, 1200)


def test_no_sitting_is_longer_than_it_may_be() -> None:
    stimuli = [Stimulus((str(number),), number, 10) for number in range(40)]
    sittings = make_sheet(stimuli, stimuli[:3], 1, 1, 200)
    assert len(sittings) > 2
    for sitting in sittings:
        assert sum(map(presentation_seconds, (*sitting.training, *sitting.rated))) <= 200
    assert Counter(one for sitting in sittings for one in sitting.rated) == Counter(stimuli)


@pytest.mark.parametrize(
    ("scores", "complaint"),
    [
        ({"r": [5, 4], "b": [1], "s": [3, 2]}, None),
        ({"r": [5], "b": [3]}, "gave 3 to a clip known to be bad"),
        ({"r": [2, 5], "b": [2]}, "gave 2 to a reference and 2 to a clip known to be bad"),
        ({"s": [1, 4]}, "gave 1 and 4 to the same clip"),
    ],
)
def test_checks_of_attention(scores: dict[str, list[int]], complaint: str | None) -> None:
    key = {"r": {"kind": "reference"}, "b": {"kind": "bad"}, "s": {"kind": "system"}}
    votes = [Vote(1, (clip,), score, False) for clip, given in scores.items() for score in given]
    failed = failed_checks(votes, key)
    assert (failed == []) if complaint is None else (complaint in failed)


def test_a_reference_beside_itself_must_look_like_itself() -> None:
    votes = [Vote(1, ("r", "r"), 3, False), Vote(1, ("r", "b"), 1, False)]
    assert failed_checks(votes, {"r": {"kind": "reference"}, "b": {"kind": "bad"}}) == [
        "gave 3 to a reference beside itself"
    ]


def test_scripted_answers_say_so_in_every_file_and_in_the_report(study: Path) -> None:
    if not STUDY_PYTHON.exists():
        pytest.skip("sureal is not installed: npm test -- --only study installs it")
    write_answers(study, 1, lambda _: None)
    files = [json.loads(path.read_text()) for path in (study / "votes").glob("*.json")]
    assert len(files) == 2 * SETTINGS.subjects
    assert all(file["scripted"] for file in files)
    done = subprocess.run([STUDY_PYTHON, HERE / "main.py", "analyse", study], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("scripted answers: nothing follows from them")
    report = (study / "report.md").read_text()
    assert report.startswith("# Study\n\n**Rehearsal with scripted answers (`scripted: true`).**")
    assert "## ACR-HR" in report
    assert "## DCR" in report
    quick, slow = (
        next(line for line in report.splitlines() if line.startswith(f"| {name} |")) for name in ("Quick", "Slow")
    )
    assert float(quick.split("|")[3].split()[0]) > float(slow.split("|")[3].split()[0])
    assert "left out: gave" in report  # the careless one
    assert all((study / picture).stat().st_size > 10_000 for picture in ("acr-hr.png", "dcr.png"))


def test_a_study_is_not_made_twice(results: Path, study: Path) -> None:
    with pytest.raises(StudyError, match="found a study"):
        make_study(results, study, SETTINGS, lambda _: None)


def test_results_without_kept_bytes_are_refused(tmp_path: Path, results: Path) -> None:
    with pytest.raises(StudyError, match=r"found no trials\.jsonl"):
        read_sessions(tmp_path)
    line = json.loads((results / "trials.jsonl").read_text().splitlines()[0])
    (tmp_path / "trials.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(StudyError, match="run the trials with --keep"):
        read_sessions(tmp_path)
    (tmp_path / "trials.jsonl").write_text(json.dumps(line | {"valid": False}) + "\n")
    with pytest.raises(StudyError, match="expected sessions that count"):
        read_sessions(tmp_path)


def test_votes_of_another_study_are_refused(tmp_path: Path) -> None:
    (tmp_path / "votes").mkdir()
    file = {"format": 1, "method": "dcr", "subject": 1, "sitting": 1, "scripted": False}
    vote = {"clips": ["nowhere"], "vote": 3, "ms": 1, "training": False}
    (tmp_path / "votes" / "a.json").write_text(json.dumps(file | {"votes": [vote]}))
    with pytest.raises(StudyError, match="clip nowhere is none of this study"):
        read_votes(tmp_path, "dcr", {})
    with pytest.raises(StudyError, match=r"found no key\.json"):
        read_key(tmp_path)
