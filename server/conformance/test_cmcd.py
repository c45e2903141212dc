"""What players say of themselves (CMCD) is counted: over HTTP and sessions, in fields and addresses, a report once."""

import asyncio
import json
import re
from pathlib import Path
from urllib.parse import quote
from urllib.request import Request, urlopen

from pytest import approx

from .client import connect
from .conftest import Start
from .servers import Server
from .test_operation import get

VECTORS = json.loads((Path(__file__).parents[2] / "test" / "vectors" / "cmcd.json").read_text())


async def counted(server: Server) -> dict[str, float]:
    """All samples of CMCD that are not 0, by name and labels."""
    assert server.metrics is not None
    text = (await asyncio.to_thread(get, server.metrics))[2].decode()
    found = re.findall(r"^voxel_cmcd_(\S+) (\S+)$", text, re.MULTILINE)
    return {name: float(value) for name, value in found if float(value) != 0}


def ask(url: str, **fields: str) -> None:
    request = Request(url, headers={name.replace("_", "-"): value for name, value in fields.items()})
    with urlopen(request) as response:
        response.read()


async def test_figures_of_viewers_are_counted(starts: Start) -> None:
    server = starts()
    first = quote('br=(2500;v),com.voxel-dash-score="0.985",ot=v,sid="1",sn=1,v=2', safe="")
    async with connect(server.quic_port) as client:
        await client.open_session()
        # Two requests for one segment.
        await client.request(f"/media.mp4?CMCD={first}", range="bytes=0-9")
        await client.request(f"/media.mp4?CMCD={first}", range="bytes=10-19", x_voxel_unreliable="?1;flow=1")
        await client.request(
            "/media.mp4",
            range="bytes=0-9",
            cmcd_object="br=(5000;v),ot=v",
            cmcd_request='com.voxel-dash-startup="700"',
            cmcd_session='sid="1",v=2',
            cmcd_status="bs,bsd=(1200;v)",
        )
    await asyncio.to_thread(ask, server.url + "media.mp4?CMCD=" + quote("br=300,bs,ot=v", safe=""))
    await asyncio.to_thread(ask, server.url + "media.mp4", CMCD_Request='com.voxel-dash-score="0.5"')
    found = await counted(server)
    totals = {name: value for name, value in found.items() if "bucket" not in name}
    assert totals == approx(
        {
            "reports_total": 4,
            "stalls_total": 2,
            "startup_seconds_count": 1,
            "startup_seconds_sum": 0.7,
            "stall_seconds_count": 1,
            "stall_seconds_sum": 1.2,
            "bitrate_bits_per_second_count": 3,
            "bitrate_bits_per_second_sum": 7_800_000,
            "score_count": 2,
            "score_sum": 1.485,
        }
    )
    assert found['score_bucket{le="0.8"}'] == 1
    assert found['score_bucket{le="0.99"}'] == 2
    assert found['bitrate_bits_per_second_bucket{le="500000"}'] == 1
    assert 'bitrate_bits_per_second_bucket{le="250000"}' not in found


async def test_what_is_not_cmcd_changes_nothing(starts: Start) -> None:
    server = starts()
    before = await counted(server)
    for vector in VECTORS:
        if vector["report"] is None and not vector["headers"]:
            await asyncio.to_thread(ask, server.url + "media.mp4?" + vector["target"].partition("?")[2])
    assert await counted(server) == before == {}


async def test_labels_are_few_whatever_clients_say(starts: Start) -> None:
    server = starts()
    assert server.metrics is not None
    before = (await asyncio.to_thread(get, server.metrics))[2].count(b"\nvoxel_cmcd")
    for number in range(50):
        text = quote(f'cid="c{number}",br=({number};v),x-y="{number}",sid="{number}"', safe="")
        await asyncio.to_thread(ask, f"{server.url}media.mp4?CMCD={text}")
    assert (await asyncio.to_thread(get, server.metrics))[2].count(b"\nvoxel_cmcd") == before
