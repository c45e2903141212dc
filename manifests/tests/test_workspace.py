from contextlib import closing
from pathlib import Path

import pytest
from voxel_prepare.errors import InputError
from voxel_prepare.jobs.workspace import WORK_FOLDER, Part, Workspace
from voxel_prepare.manifest.mpd_file import MANIFEST

PART = Part.of("q00.mp4", ["settings"])


def visible(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}


def make(workspace: Workspace, part: Part, content: bytes = b"media") -> None:
    with workspace.make(part) as path:
        path.write_bytes(content)


def test_parts_appear_under_their_names_only_when_published(tmp_path: Path) -> None:
    with closing(Workspace(tmp_path)) as workspace:
        make(workspace, PART)
        assert visible(tmp_path) == set()
        workspace.publish([PART], b"manifest")
    assert visible(tmp_path) == {"q00.mp4", MANIFEST}
    assert (tmp_path / "q00.mp4").read_bytes() == b"media"


def test_a_finished_part_is_found_again_before_and_after_publication(tmp_path: Path) -> None:
    with closing(Workspace(tmp_path)) as workspace:
        make(workspace, PART)
    with closing(Workspace(tmp_path)) as workspace:
        assert workspace.find(PART) is not None
        workspace.publish([PART], b"manifest")
    with closing(Workspace(tmp_path)) as workspace:
        assert workspace.find(PART) == tmp_path / "q00.mp4"


def test_a_part_is_not_found_with_other_settings_or_after_someone_changed_the_file(tmp_path: Path) -> None:
    with closing(Workspace(tmp_path)) as workspace:
        make(workspace, PART)
        workspace.publish([PART], b"manifest")
        assert workspace.find(Part.of("q00.mp4", ["other settings"])) is None
        (tmp_path / "q00.mp4").write_bytes(b"something else")
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


def test_files_of_representations_that_are_no_more_are_deleted(tmp_path: Path) -> None:
    other = Part.of("q01.mp4", [])
    with closing(Workspace(tmp_path)) as workspace:
        make(workspace, PART)
        make(workspace, other)
        workspace.publish([PART, other], b"manifest")
    (tmp_path / "notes.txt").write_text("the user's own")
    with closing(Workspace(tmp_path)) as workspace:
        workspace.publish([PART], b"new manifest")
    assert visible(tmp_path) == {"q00.mp4", MANIFEST, "notes.txt"}


def test_two_processes_cannot_use_a_folder_at_once(tmp_path: Path) -> None:
    with closing(Workspace(tmp_path)), pytest.raises(InputError, match="another voxel-prepare"):
        Workspace(tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        Workspace(tmp_path / "file" / "out")
