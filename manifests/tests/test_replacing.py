"""An output folder is given to another film, or to other options, only if the user says so."""

import json
import shutil
from pathlib import Path

import pytest
from clips import make_clip
from presentations import make_presentation
from processes import call, parts, visible
from voxel_prepare.jobs.workspace import WORK_FOLDER

QUICK = ["--preset", "ultrafast", "--passes", "1", "--representations", "144p", "--duration", "1"]


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder, hidden ones too, with its content and the time of its last change."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("film") / "film.mp4", seconds=2)


@pytest.fixture(scope="module")
def finished(film: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("finished")
    assert call(film, "--out", out, *QUICK).returncode == 0
    return out


@pytest.fixture
def out(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished folder, with a file of the user's own."""
    shutil.copytree(finished, tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("the user's own")
    return tmp_path / "out"


@pytest.fixture
def other_film(film: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(film, tmp_path / "other.mp4"))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--duration", "1.5"], "with --duration 1 by the same with --duration 1.5"),
        (["--segment", "2"], "with --segment 4 by the same with --segment 2"),
        (["--preset", "veryfast"], "with --preset ultrafast by the same with --preset veryfast"),
        (["--slices", "2"], "with --slices 1 by the same with --slices 2"),
        (["--metric", "psnr"], "with --metric ssim by the same with --metric psnr"),
        (["--order", "original"], "without --order by the same with --order original"),
        (
            ["--representations", "144p:0.2"],
            "with --representations 144p:0.16 by the same with --representations 144p:0.2",
        ),
    ],
)
def test_the_same_film_with_other_options_is_refused_and_nothing_touched(
    film: Path, out: Path, options: list[str], what: str
) -> None:
    before = contents(out)
    result = call(film, "--out", out, *QUICK, *options)
    assert result.returncode == 2
    assert result.stderr == f"voxel-prepare: {out}: would replace {film} {what}: use --replace, or another --out\n"
    assert contents(out) == before


def test_another_film_is_refused_and_nothing_touched(film: Path, out: Path, other_film: Path) -> None:
    before = contents(out)
    jobs: list[list[str | Path]] = [[other_film, *QUICK], ["--copy", other_film, "--segment", "1"]]
    for arguments in jobs:
        result = call(*arguments, "--out", out)
        assert result.returncode == 2
        assert f"{out}: would replace {film} by {other_film}: use --replace" in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert contents(out) == before


def test_a_film_that_has_changed_is_refused(out: Path, other_film: Path) -> None:
    call(other_film, "--out", out, *QUICK, "--replace")
    before = contents(out)
    make_clip(other_film, seconds=3)
    result = call(other_film, "--out", out, *QUICK)
    assert result.returncode == 2
    assert f"would replace {other_film} as it was before it changed: use --replace" in result.stderr
    assert contents(out) == before


def test_replacing_says_what_and_leaves_the_files_of_others(film: Path, out: Path, other_film: Path) -> None:
    (out / "q00.0123456789ab.mp4").write_text("the user's own")
    own = {name: content for name, content in contents(out).items() if name in {"notes.txt", "q00.0123456789ab.mp4"}}
    for _ in range(3):  # until files of older publications go
        for source, replaced in ((other_film, film), (film, other_film)):
            result = call(source, "--out", out, *QUICK, "--replace")
            assert result.returncode == 0
            assert f"{out}: replacing {replaced} by {source}" in result.stderr
    assert own.items() <= contents(out).items()


@pytest.mark.parametrize("options", [[], ["--jobs", "1"], ["--inline"], ["--representations", "144p:0.16"]])
def test_the_same_job_goes_on_without_a_word(film: Path, out: Path, options: list[str]) -> None:
    result = call(film, "--out", out, *QUICK, *options)
    assert result.returncode == 0
    assert "reusing 2 of 2 parts" in result.stderr
    assert "replac" not in result.stderr


def test_unfinished_work_is_not_given_up_either(
    film: Path, other_film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "unfinished"

    with monkeypatch.context() as patch:
        patch.setattr("voxel_prepare.jobs.prepare.analyse_representations", interrupted)
        assert call(film, "--out", out, *QUICK).returncode == 130
    before = contents(out)
    refused = call(other_film, "--out", out, *QUICK)
    assert refused.returncode == 2
    assert f"would replace {film} by {other_film}" in refused.stderr
    assert contents(out) == before
    result = call(film, "--out", out, *QUICK)
    assert result.returncode == 0
    assert "reusing 1 of 2 parts" in result.stderr


def test_a_replacement_that_was_interrupted_goes_on_without_asking_again(
    film: Path, out: Path, other_film: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("voxel_prepare.jobs.prepare.analyse_representations", interrupted)
        assert call(other_film, "--out", out, *QUICK, "--replace").returncode == 130
    assert call(other_film, "--out", out, *QUICK).returncode == 0
    assert call(film, "--out", out, *QUICK).returncode == 2


def test_a_job_of_which_nothing_was_finished_is_in_nobodys_way(
    film: Path, other_film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "begun"
    with monkeypatch.context() as patch:
        patch.setattr("voxel_prepare.jobs.prepare.make_media", interrupted)
        assert call(film, "--out", out, *QUICK).returncode == 130
    assert call(other_film, "--out", out, *QUICK).returncode == 0


@pytest.mark.parametrize("name", ["manifest.mpd", "master.m3u8"])
@pytest.mark.parametrize("options", [[], ["--replace"]])
def test_a_manifest_of_somebody_else_is_never_replaced(
    film: Path, tmp_path: Path, name: str, options: list[str]
) -> None:
    (tmp_path / name).write_text("by a packager")
    before = contents(tmp_path)
    result = call(film, "--out", tmp_path, *QUICK, *options)
    assert result.returncode == 2
    assert f"{tmp_path / name}: not known to be of voxel-prepare" in result.stderr
    assert contents(tmp_path) == before
    assert not (tmp_path / WORK_FOLDER).exists()


def test_a_folder_with_other_files_is_as_good_as_an_empty_one(film: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("the user's own")
    (tmp_path / "stream.mpd").write_text("by a packager")
    assert call(film, "--out", tmp_path, *QUICK).returncode == 0
    assert parts(tmp_path) > {"notes.txt", "stream.mpd", "manifest.mpd"}


def test_a_manifest_that_somebody_has_changed_is_replaced_only_if_asked_for(film: Path, out: Path) -> None:
    manifest = out / "manifest.mpd"
    text = manifest.read_text()
    manifest.write_text(text.replace("<MPD", "<!-- mine --><MPD"))
    before = contents(out)
    result = call(film, "--out", out, *QUICK)
    assert result.returncode == 2
    assert "would replace manifest.mpd, changed since voxel-prepare wrote it: use --replace" in result.stderr
    assert contents(out) == before
    assert call(film, "--out", out, *QUICK, "--replace").returncode == 0
    assert manifest.read_text() == text


def test_playlists_go_with_the_job_that_wrote_them(out: Path, tmp_path: Path) -> None:
    mpd = make_presentation(tmp_path / "out" / "dash", "template by number", frames=20)
    result = call("--copy", mpd, "--out", out, "--replace")
    assert result.returncode == 0, result.stderr
    assert "manifest.mpd" in visible(out)
    assert "master.m3u8" not in visible(out)


def test_what_an_earlier_version_made_is_replaced_only_if_asked_for(film: Path, out: Path) -> None:
    ledger = out / WORK_FOLDER / "published.json"
    stored = json.loads(ledger.read_text())
    ledger.write_text(json.dumps({name: stored[name] for name in ("files", "current", "previous")}))
    before = contents(out)
    result = call(film, "--out", out, *QUICK)
    assert result.returncode == 2
    assert "would replace what an earlier version of voxel-prepare made: use --replace" in result.stderr
    assert contents(out) == before
    assert "reusing 2 of 2 parts" in call(film, "--out", out, *QUICK, "--replace").stderr
    assert call(film, "--out", out, *QUICK).returncode == 0
