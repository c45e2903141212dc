"""What deploy/compose.yaml names is there: images, ports, files, options of the servers."""

import re
import socket
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import Start
from .test_operation import long_lived_certificate

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]

OURS = "voxel"
"""The service that is built here; the others' images are other projects'."""

PLACES_OF_OTHERS = {
    "prometheus": {"/etc/prometheus", "/prometheus"},
    "grafana": {"/etc/grafana/provisioning", "/etc/grafana/dashboards", "/var/lib/grafana"},
}
"""Where their images look for files, as their documentation says."""


def by_default(text: str) -> str:
    """With the values that variables have unless they are set; those that must be set keep their names."""
    return re.sub(r"\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}", lambda it: it[1] if it[2] is None else it[2], text)


def volumes(service: str) -> list[tuple[str, str]]:
    """Source and place of each."""
    pairs = [by_default(volume).split(":")[:2] for volume in SERVICES[service]["volumes"]]
    return [(source, place) for source, place in pairs]


def containerfile() -> str:
    return (DEPLOY / "quiche.Containerfile").read_text()


@pytest.mark.parametrize("service", SERVICES)
def test_lists_have_text_only(service: str) -> None:
    """YAML makes a key of a word that ends with a colon, and a number of one that looks like it."""
    lists = {name: value for name, value in SERVICES[service].items() if isinstance(value, list)}
    assert {name: [it for it in value if not isinstance(it, str)] for name, value in lists.items()} == {
        name: [] for name in lists
    }


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_is_one_of_ours_or_has_a_version(service: str) -> None:
    image = by_default(SERVICES[service]["image"])
    if service == OURS:
        assert image == "localhost/voxel-quiche:latest"
        return
    assert re.fullmatch(r"docker\.io/[a-z]+/[a-z]+:v?\d+\.\d+\.\d+", image)


@pytest.mark.parametrize("service", SERVICES)
def test_volumes_are_declared_or_files_of_the_repository(service: str) -> None:
    for source, _ in volumes(service):
        if source.startswith("."):
            assert (DEPLOY / source).is_dir(), source
        elif source.islower():
            assert source in COMPOSE["volumes"], source


def test_every_declared_volume_is_used() -> None:
    used = {source for service in SERVICES for source, _ in volumes(service)}
    assert set(COMPOSE["volumes"]) <= used


@pytest.mark.parametrize("service", PLACES_OF_OTHERS)
def test_the_others_find_their_files(service: str) -> None:
    assert {place for _, place in volumes(service)} == PLACES_OF_OTHERS[service]


def test_grafana_is_told_where_the_dashboards_are() -> None:
    (provider,) = yaml.safe_load((DEPLOY / "grafana/provisioning/dashboards/voxel.yaml").read_text())["providers"]
    assert provider["options"]["path"] in {place for _, place in volumes("grafana")}


def test_grafana_asks_prometheus_and_prometheus_asks_the_server() -> None:
    (source,) = yaml.safe_load((DEPLOY / "grafana/provisioning/datasources/prometheus.yaml").read_text())["datasources"]
    assert source["url"] == "http://prometheus:9090"
    (scrape,) = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())["scrape_configs"]
    (targets,) = scrape["static_configs"]
    (port,) = re.findall(r"VOXEL_METRICS=0\.0\.0\.0:(\d+)", containerfile())
    assert targets["targets"] == [f"{OURS}:{port}"]


def test_the_ports_are_those_that_the_image_exposes_but_the_counters() -> None:
    (exposed,) = re.findall(r"^EXPOSE (.*)$", containerfile(), re.MULTILINE)
    published = [port.split(":")[1] for port in SERVICES[OURS]["ports"]]
    assert {*published, "9100/tcp"} == set(exposed.split())


def test_the_hooks_command_reaches_the_container() -> None:
    name = f"{COMPOSE['name']}-{OURS}-1"
    assert f"docker kill --signal HUP {name}" in (DEPLOY.parent / "docs/DEPLOY.md").read_text()


async def test_a_server_starts_with_this_command(starts: Start, tmp_path: Path) -> None:
    """But for its folders and ports."""
    if not socket.has_dualstack_ipv6():
        pytest.skip("this machine has no IPv6")
    media, *options = [by_default(word) for word in SERVICES[OURS]["command"]]
    places = {place for _, place in volumes(OURS)}
    assert media in places
    _, chain, _ = long_lived_certificate(tmp_path)
    chain.rename(tmp_path / "certificate.pem")
    hook = (DEPLOY / "acme-hook.sh").read_text()
    here = []
    for option in options:
        name, _, value = option.partition("=")
        if name.endswith("-port"):
            assert f"{value}/{'udp' if 'quic' in name else 'tcp'}" in containerfile()
            continue
        folder, _, file = value.rpartition("/")
        if folder in places:
            assert f"/{file}" in hook
            value = str(tmp_path / file)
        here.append(f"{name}={value}")
    server = starts(*here)
    assert server.certificate_hashes == []
