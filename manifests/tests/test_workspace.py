import json
import os
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from processes import visible
from voxel_prepare.errors import InputError
from voxel_prepare.jobs.job import source_identity
from voxel_prepare.jobs.workspace import WORK_FOLDER, Part, Workspace
from voxel_prepare.manifest.mpd_file import MANIFEST

PART = Part.of("q00.mp4", ["settings"])


MEDIA = "q00.721c9525ade2.mp4"
"""Where a part with the content `media` is published."""


def make(workspace: Workspace, part: Part, content: bytes = b"media") -> None:
    with workspace.make(part) as path:
        path.write_bytes(content)


def test_parts_appear_under_their_names_only_when_published(tmp_path: Path) -> None:
    with closing(Workspace(tmp_path)) as workspace:
        make(workspace, PART)
        assert visible(tmp_path) == set()
        workspace.publish([PART], b"manifest")
    assert visible(tmp_path) == {MEDIA, MANIFEST}
    assert (tmp_path / MEDIA).read_bytes() == b"media"


def test_a_finished_part_is_found_again_before_and_after_publication(tmp_path: Path) -> None:
    with closing(Workspace(tmp_path)) as workspace:
        make(workspace, PART)
    with closing(Workspace(tmp_path)) as workspace:
        assert workspace.find(PART) is not None
        workspace.publish([PART], b"manifest")
    with closing(Workspace(tmp_path)) as workspace:
        assert workspace.find(PART) == tmp_path / MEDIA
        assert workspace.published_name(PART) == MEDIA


def test_a_part_is_not_found_with_other_settings_or_after_someone_changed_the_file(tmp_path: Path) -> None:
    with closing(Workspace(tmp_path)) as workspace:
        make(workspace, PART)
        workspace.publish([PART], b"manifest")
        assert workspace.find(Part.of("q00.mp4", ["other settings"])) is None
        (tmp_path / MEDIA).write_bytes(b"something else")
        assert workspace.find(PART) is None


def test_a_failed_part_leaves_nothing(tmp_path: Path) -> None:
    with closing(Workspace(tmp_path)) as workspace:
        with pytest.raises(RuntimeError), workspace.make(PART) as path:
            path.write_bytes(b"half")
            raise RuntimeError
        assert workspace.find(PART) is None
        make(workspace, PART)


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    leftover = tmp_path / WORK_FOLDER / "q00.mp4.unfinished"
    leftover.mkdir(parents=True)
    (leftover / "q00.mp4").write_bytes(b"half")
    with closing(Workspace(tmp_path)) as workspace:
        assert not leftover.exists()
        assert workspace.find(PART) is None
        make(workspace, PART)


def name_of(content: bytes) -> str:
    return f"q00.{sha256(content).hexdigest()[:12]}.mp4"


def publish(folder: Path, *contents: bytes) -> None:
    """One publication after another, each of another file."""
    for content in contents:
        with closing(Workspace(folder)) as workspace:
            part = Part.of("q00.mp4", [content.decode()])
            if workspace.find(part) is None:
                make(workspace, part, content)
            workspace.publish([part], b"names " + content)


def test_the_files_of_the_publication_before_stay_and_those_of_older_ones_go(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("the user's own")
    (tmp_path / "q00.0123456789ab.mp4").write_text("the user's own, too")
    own = visible(tmp_path)
    publish(tmp_path, b"one", b"two")
    assert visible(tmp_path) == {*own, name_of(b"one"), name_of(b"two"), MANIFEST}
    publish(tmp_path, b"two", b"two")
    assert visible(tmp_path) == {*own, name_of(b"one"), name_of(b"two"), MANIFEST}
    publish(tmp_path, b"three")
    assert visible(tmp_path) == {*own, name_of(b"two"), name_of(b"three"), MANIFEST}
    publish(tmp_path, b"two")
    assert visible(tmp_path) == {*own, name_of(b"two"), name_of(b"three"), MANIFEST}


def test_a_published_file_that_somebody_changed_is_not_removed(tmp_path: Path) -> None:
    publish(tmp_path, b"one")
    (tmp_path / name_of(b"one")).write_bytes(b"changed")
    publish(tmp_path, b"two", b"three")
    assert (tmp_path / name_of(b"one")).read_bytes() == b"changed"


def test_a_file_with_the_same_content_stays_as_it_is(tmp_path: Path) -> None:
    publish(tmp_path, b"media")
    before = source_identity(tmp_path / MEDIA)
    with closing(Workspace(tmp_path)) as workspace:
        other = Part.of("q00.mp4", ["other settings"])
        make(workspace, other)
        workspace.publish([other], b"manifest")
        assert workspace.find(other) == tmp_path / MEDIA
    assert source_identity(tmp_path / MEDIA) == before
    assert not list((tmp_path / WORK_FOLDER).glob("*q00.mp4"))


class PowerLost(Exception):
    pass


STEPS_OF_A_PUBLICATION = 9
"""Calls of `fsync`: for the part that is made; for ledger, part, manifest and ledger, each with its folder."""


@pytest.mark.parametrize("survived", range(STEPS_OF_A_PUBLICATION))
def test_an_interrupted_publication_loses_nothing(
    tmp_path: Path, survived: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, b"one", b"two")
    calls = 0

    def fsync(_: int) -> None:
        nonlocal calls
        calls += 1
        if calls > survived:
            raise PowerLost

    with monkeypatch.context() as patch, pytest.raises(PowerLost):
        patch.setattr(os, "fsync", fsync)
        publish(tmp_path, b"three")
    named = (tmp_path / MANIFEST).read_bytes().removeprefix(b"names ")
    assert named in {b"two", b"three"}
    assert (tmp_path / name_of(named)).read_bytes() == named
    publish(tmp_path, b"four")
    assert (tmp_path / name_of(named)).read_bytes() == named
    publish(tmp_path, b"five", b"six")
    assert visible(tmp_path) == {name_of(b"five"), name_of(b"six"), MANIFEST}


def test_files_are_on_the_disk_before_the_manifest_names_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []

    def noted(call: Callable[..., object], describe: Callable[..., str]) -> Callable[..., object]:
        def wrapper(*arguments: object) -> object:
            events.append(describe(*arguments))
            return call(*arguments)

        return wrapper

    with closing(Workspace(tmp_path)) as workspace:
        make(workspace, PART)
        monkeypatch.setattr(
            os, "fsync", noted(os.fsync, lambda file: f"sync {Path(f'/proc/self/fd/{file}').readlink().name}")
        )
        monkeypatch.setattr(Path, "replace", noted(Path.replace, lambda _, target: f"name {target.name}"))
        workspace.publish([PART], b"manifest")
    folder, ledger = tmp_path.name, "published.json"
    keep_ledger = [f"sync {ledger}.new", f"name {ledger}", f"sync {WORK_FOLDER}"]
    part = [f"sync {PART.key}-q00.mp4", f"name {MEDIA}", f"sync {folder}"]
    manifest = [f"sync {MANIFEST}.new", f"name {MANIFEST}", f"sync {folder}"]
    assert events == [*keep_ledger, *part, *manifest, *keep_ledger]


def test_what_an_earlier_version_published_is_used_and_gets_a_name_of_its_own(tmp_path: Path) -> None:
    (tmp_path / WORK_FOLDER).mkdir()
    old = tmp_path / "q00.mp4"
    old.write_bytes(b"media")
    _, *identity = source_identity(old)
    (tmp_path / WORK_FOLDER / "published.json").write_text(json.dumps({"q00.mp4": [PART.key, *identity]}))
    with closing(Workspace(tmp_path)) as workspace:
        assert workspace.find(PART) == old
        workspace.publish([PART], b"manifest")
    assert visible(tmp_path) == {"q00.mp4", MEDIA, MANIFEST}
    publish(tmp_path, b"two", b"three")
    assert visible(tmp_path) == {name_of(b"two"), name_of(b"three"), MANIFEST}


@pytest.mark.parametrize(
    "ledger",
    [
        "",
        "[]",
        "7",
        '{"files": []}',
        '{"files": {"q00.mp4": [1]}, "current": []}',
        '{"files": {}, "current": [], "texts": []}',
        '{"files": {}, "current": [], "job": {"sources": 7}}',
        '{"files": {"../outside.txt": ["q00.mp4", "key", SIZE, TIME]}, "current": [], "previous": []}',
        '{"../outside.txt": ["key", SIZE, TIME]}',
    ],
)
def test_a_damaged_ledger_leads_to_no_file(tmp_path: Path, ledger: str) -> None:
    outside, folder = tmp_path / "outside.txt", tmp_path / "out"
    outside.write_text("the user's own")
    status = outside.stat()
    (folder / WORK_FOLDER).mkdir(parents=True)
    text = ledger.replace("SIZE", str(status.st_size)).replace("TIME", str(status.st_mtime_ns))
    (folder / WORK_FOLDER / "published.json").write_text(text)
    publish(folder, b"one", b"two", b"three")
    assert outside.exists()


def test_two_processes_cannot_use_a_folder_at_once(tmp_path: Path) -> None:
    with closing(Workspace(tmp_path)), pytest.raises(InputError, match="another voxel-prepare"):
        Workspace(tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        Workspace(tmp_path / "file" / "out")
