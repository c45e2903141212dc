"""What deploy/ asks of the counters is there: the panels of the Grafana dashboard and the alerts of Prometheus."""

import asyncio
import json
import re
import shutil
import subprocess
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from .client import connect, request_head
from .conftest import Start
from .promql import Query, Selector, parse_query
from .servers import Server
from .test_operation import get

DEPLOY = Path(__file__).parents[2] / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana" / "dashboards" / "voxel.json").read_text())
ALERTS = DEPLOY / "prometheus" / "alerts.yml"

OF_PROMETHEUS = {"instance", "job"}
"""Labels that Prometheus adds."""

Samples = dict[str, list[dict[str, str]]]
"""Labels of all samples, by the counter's name."""


def queries() -> dict[str, str]:
    """Every query by what asks it, with values for Grafana's variables."""
    panels = {
        f"{panel['title']} {target['refId']}": target["expr"]
        for panel in DASHBOARD["panels"]
        for target in panel["targets"]
    }
    variables = {
        f"variable {variable['name']}": re.sub(r"label_values\((\w+), \w+\)", r"\1", variable["definition"])
        for variable in DASHBOARD["templating"]["list"]
        if variable["type"] == "query"
    }
    names = re.findall(r"alert: (\w+)\n\s+expr: (.+)", ALERTS.read_text())
    return {
        name: text.replace("$__rate_interval", "1m").replace("$instance", ".*")
        for name, text in (panels | variables | dict(names)).items()
    }


QUERIES = queries()

OF_EDGES = {name for name, text in QUERIES.items() if re.search("voxel_(cache|origin)_", text)}
"""What only `voxel-quiche --origin` counts."""


def samples(exposition: str) -> Samples:
    found: Samples = {"up": [{}]}  # Prometheus' own
    for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? \S+$", exposition, re.MULTILINE):
        found.setdefault(name, []).append(dict(re.findall(r'(\w+)="([^"]*)"', labels)))
    return found


def fits(selector: Selector, labels: dict[str, str]) -> bool:
    """Whether a sample is one that the selector picks."""
    tests: dict[str, Callable[[str, str], bool]] = {
        "=": lambda value, wanted: value == wanted,
        "!=": lambda value, wanted: value != wanted,
        "=~": lambda value, wanted: re.fullmatch(wanted, value) is not None,
        "!~": lambda value, wanted: re.fullmatch(wanted, value) is None,
    }
    wanted = [matcher for matcher in selector.matchers if matcher[0] not in OF_PROMETHEUS]
    return all(label in labels and tests[operator](labels[label], value) for label, operator, value in wanted)


def missing(query: Query, counters: Samples) -> list[str]:
    """What of a query a server does not have."""
    absent = [
        selector.name
        for selector in query.selectors
        if not any(fits(selector, it) for it in counters.get(selector.name, []))
    ]
    known = OF_PROMETHEUS.union(*(labels for selector in query.selectors for labels in counters.get(selector.name, [])))
    return absent + sorted(query.labels - known)


async def used(server: Server) -> Samples:
    """The counters after a bit of everything: HTTP, a missing file, streams, datagrams, parity, a request too many."""
    await asyncio.to_thread(urllib.request.urlopen, server.url + "media.mp4")
    await asyncio.to_thread(get, server.url + "absent")
    async with connect(server.quic_port) as client:
        await client.open_session()
        await client.request("/media.mp4", range="bytes=0-9999")
        await client.request(
            "/media.mp4",
            range="bytes=0-99999",
            x_voxel_unreliable="?1;flow=1",
            x_voxel_parity="(2);block=10;symbol=1000;always",
        )
        floods = [client.send(request_head("/huge.bin", x_voxel_unreliable=f"?1;flow={flow}")) for flow in (2, 3)]
        assert (await client.request("/media.mp4")).status == 429
        for flood in floods:
            client.cancel(flood)
        assert server.metrics is not None
        return samples((await asyncio.to_thread(get, server.metrics))[2].decode())


async def test_everything_that_panels_and_alerts_ask_for_is_counted(starts: Start, command: list[str]) -> None:
    counters = await used(starts("--max-requests-per-address", "2"))
    asked = QUERIES if "--origin" in command else {name: QUERIES[name] for name in QUERIES.keys() - OF_EDGES}
    assert {name: lacking for name, text in asked.items() if (lacking := missing(parse_query(text), counters))} == {}


async def test_every_counter_is_on_the_dashboard(starts: Start) -> None:
    shown = {selector.name for text in QUERIES.values() for selector in parse_query(text).selectors}
    assert set(await used(starts("--max-requests-per-address", "2"))) - shown == set()


def test_a_query_is_read() -> None:
    query = parse_query('sum by (status) (rate(a_total{x=~"4..|5..", y!="b"}[1m])) / (b or vector(0)) > 0.5')
    assert query.selectors == (Selector("a_total", (("x", "=~", "4..|5.."), ("y", "!=", "b"))), Selector("b", ()))
    assert query.labels == {"status"}
    with pytest.raises(ValueError, match="not PromQL"):
        parse_query("a ? b")


def test_what_is_not_counted_is_found() -> None:
    counters = samples('# TYPE a counter\na{status="404"} 3\nb 0\n')
    assert missing(parse_query('sum by (status) (a{status=~"4..", instance=~".*"})'), counters) == []
    assert missing(parse_query('sum by (state) (a{status=~"5.."}) + c'), counters) == ["a", "c", "state"]


def test_prometheus_reads_every_query(tmp_path: Path) -> None:
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed (apt-get install prometheus)")
    rules = [{"record": f"query:{index}", "expr": text} for index, text in enumerate(QUERIES.values())]
    (tmp_path / "rules.json").write_text(json.dumps({"groups": [{"name": "queries", "rules": rules}]}))
    configuration = DEPLOY / "prometheus" / "prometheus.yml"
    for words in (["rules", str(tmp_path / "rules.json")], ["config", str(configuration)]):
        checked = subprocess.run(["promtool", "check", *words], capture_output=True, text=True, timeout=60)
        assert checked.returncode == 0, checked.stderr
