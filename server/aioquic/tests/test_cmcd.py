"""What servers read of CMCD, against the vectors that both share, and what they count of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from voxel_serve.cmcd import Viewers, parse, text_of
from voxel_serve.metrics import Metrics

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parents[3] / "test" / "vectors" / "cmcd.json").read_text())


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["what"])
def test_the_shared_vectors(vector: dict[str, Any]) -> None:
    text = text_of(vector["target"], vector["headers"])
    report = None if text is None else parse(text)
    found = (
        None
        if report is None
        else {
            "startup": report.startup,
            "hasStalled": report.has_stalled,
            "stall": report.stall,
            "bitrate": report.bitrate,
            "score": report.score,
            "namesSession": report.names_session,
        }
    )
    assert found == vector["report"]


def test_a_report_is_counted_once_and_few_are_remembered() -> None:
    metrics = Metrics()
    viewers = Viewers(metrics)
    for text in ('bs,ot=v,sid="1",sn=1', 'bs,ot=v,sid="1",sn=1', "bs,ot=v", "bs,ot=v"):
        viewers.count("/a.mp4", {"cmcd-request": text})
    assert metrics.value("voxel_cmcd_stalls_total") == 3
    for number in range(5000):
        viewers.count("/a.mp4", {"cmcd-request": f'sid="1",sn={number + 2}'})
    assert metrics.value("voxel_cmcd_reports_total") == 5003
    assert len(viewers._recent) == 1024


def test_a_histogram_counts_what_is_below_each_bound() -> None:
    metrics = Metrics()
    for value in (0.25, 0.3, 31):
        metrics.observe("voxel_cmcd_startup_seconds", value)
    text = metrics.text().decode()
    assert "# TYPE voxel_cmcd_startup_seconds histogram\n" in text
    for line in ('bucket{le="0.25"} 1', 'bucket{le="0.5"} 2', 'bucket{le="30"} 2', 'bucket{le="+Inf"} 3', "count 3"):
        assert f"voxel_cmcd_startup_seconds_{line}\n" in text
    assert "voxel_cmcd_startup_seconds_sum 31.55\n" in text
    assert 'voxel_cmcd_bitrate_bits_per_second_bucket{le="32000000"} 0\n' in text
