"""The last lines of a preparation: a command that serves it, and the address at which its manifest then is."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import urlopen

import pytest
from lxml import etree
from presentations import make_presentation
from processes import call
from voxel_prepare.cli.serving import ORIGIN, how_to_serve

pytest.importorskip("voxel_serve", reason="voxel-serve is not installed here")

SERVE = [sys.executable, "-c", "from voxel_serve.cli import main; main()"]
ANY_PORTS = ["--http-port", "0", "--quic-port", "0"]


@contextmanager
def served(command: str) -> Iterator[str]:
    """The origin at which the command of a last line answers; its ports are others, which are free."""
    program, *words = shlex.split(command)
    assert program == "voxel-serve"
    with subprocess.Popen([*SERVE, *words, *ANY_PORTS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            assert server.stdout is not None
            yield json.loads(server.stdout.readline())["url"].rstrip("/")
        finally:
            server.terminate()


def fetched(url: str) -> bytes:
    with urlopen(url) as response:
        content: bytes = response.read()
        return content


def said(lines: list[str]) -> tuple[str, str]:
    """The address of the manifest and the command, from the last two lines."""
    *_, manifest, now = lines
    assert manifest.startswith(f"manifest: {ORIGIN}/") and now.startswith("now: voxel-serve ")
    return manifest.removeprefix(f"manifest: {ORIGIN}"), now.removeprefix("now: ")


@pytest.mark.parametrize(
    ("mpd_folder", "out"),
    [
        ("dash", "media/film"),
        ("dash", "dash"),
        ("dash", "dash/with voxel"),
        ("media/dash", "media"),
        ("dash of '26 & more", "-out #1"),
    ],
)
def test_the_command_that_copy_prints_serves_manifest_index_and_segments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mpd_folder: str, out: str
) -> None:
    monkeypatch.chdir(tmp_path)
    mpd = make_presentation(tmp_path / mpd_folder, "template by number", frames=10)
    (tmp_path / "private.txt").write_text("of nobody's business")
    result = call("--copy", mpd.relative_to(tmp_path), f"--out={out}")
    assert result.returncode == 0, result.stderr
    path, command = said(result.stderr.splitlines())
    with served(command) as origin:
        root = etree.fromstring(fetched(f"{origin}{path}"))
        base = urljoin(f"{origin}{path}", root.findtext("{*}BaseURL") or "")
        assert fetched(urljoin(base, "0/00001.m4s")) == (mpd.parent / "0/00001.m4s").read_bytes()
        index = root.find(".//{*}SupplementalProperty")
        assert index is not None
        assert fetched(urljoin(base, index.get("value"))).startswith(b"VXIX")
        with pytest.raises(HTTPError):
            fetched(f"{origin}/private.txt")


def test_the_command_for_new_media_serves_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prepared: Path) -> None:
    monkeypatch.chdir(tmp_path)
    path, command = said(how_to_serve(prepared))
    with served(command) as origin:
        root = etree.fromstring(fetched(f"{origin}{path}"))
        name = root.findtext(".//{*}BaseURL") or ""
        assert fetched(urljoin(f"{origin}{path}", name)) == (prepared / name).read_bytes()


def test_a_folder_is_named_as_the_user_sees_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert how_to_serve(Path("media/film")) == [
        "manifest: http://localhost:8080/manifest.mpd",
        "now: voxel-serve media/film",
    ]
    assert how_to_serve(Path()) == ["manifest: http://localhost:8080/manifest.mpd", "now: voxel-serve ."]
    monkeypatch.chdir("/")
    assert how_to_serve(tmp_path)[-1] == f"now: voxel-serve {os.path.relpath(tmp_path, '/')}"


def test_what_lies_in_a_hidden_folder_gets_a_warning(tmp_path: Path) -> None:
    assert how_to_serve(tmp_path / ".out") == [*how_to_serve(tmp_path / "out")[:1], f"now: voxel-serve {tmp_path}/.out"]
    (line,) = how_to_serve(tmp_path / "out", tmp_path / ".dash")
    assert line == (
        "warning: voxel-serve serves nothing in hidden folders, such as .dash: "
        f"move {tmp_path / 'out'} or {tmp_path / '.dash'}"
    )


def test_a_folder_whose_name_no_mount_can_have_is_served_from_above(tmp_path: Path) -> None:
    lines = how_to_serve(tmp_path / "out", tmp_path / "a=b")
    assert lines == ["manifest: http://localhost:8080/out/manifest.mpd", f"now: voxel-serve {tmp_path}"]
