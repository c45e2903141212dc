"""docs/PROTOCOL.md, "After another flow": whose bytes wait, for how long, and whose do not."""

import asyncio
from time import monotonic

import pytest

from .client import VoxelClient, eventually, request_head

MEDIA = {"range": "bytes=0-99999"}


async def flood(session: VoxelClient) -> int:
    """Starts flow 1, which lasts longer than any test; returns its stream."""
    stream_id = session.send(request_head("/huge.bin", x_voxel_unreliable="?1;flow=1"))
    await eventually(lambda: session.datagrams)
    return stream_id


def is_under_way(session: VoxelClient, stream_id: int) -> bool:
    return not session.received(stream_id).ended.is_set()


def has_head_only(session: VoxelClient, stream_id: int) -> bool:
    return session.received(stream_id).data.endswith(b"\r\n\r\n")


def flows_in_order(session: VoxelClient) -> list[int]:
    """Flow numbers of the datagrams, each as often as it came after another one's."""
    flows: list[int] = []
    for flow, _, _ in session.datagrams:
        if flows[-1:] != [flow]:
            flows.append(flow)
    return flows


async def test_a_body_on_the_stream_waits_for_the_flow_and_other_requests_do_not(
    session: VoxelClient, media: bytes
) -> None:
    first = await flood(session)
    held = session.send(request_head("/media.mp4", x_voxel_after="1", **MEDIA))
    await eventually(lambda: has_head_only(session, held))
    assert (await session.request("/media.mp4", **MEDIA)).body == media[:100_000]
    assert is_under_way(session, first)
    assert has_head_only(session, held)
    session.cancel(first)
    assert (await session.response(held)).body == media[:100_000]


async def test_datagrams_wait_for_the_flow_whatever_their_deadline(session: VoxelClient) -> None:
    first = session.send(request_head("/media.mp4", x_voxel_unreliable="?1;flow=1"))
    second = session.send(
        request_head("/media.mp4", x_voxel_unreliable="?1;flow=2", x_voxel_after="1", x_voxel_deadline="60000", **MEDIA)
    )
    third = session.send(request_head("/media.mp4", x_voxel_unreliable="?1;flow=3", x_voxel_after="2", **MEDIA))
    await asyncio.gather(*(session.response(stream_id) for stream_id in (first, second, third)))
    await eventually(lambda: 3 in flows_in_order(session))
    assert flows_in_order(session) == [1, 2, 3]


async def test_a_flow_whose_deadline_has_passed_holds_nothing_back(session: VoxelClient, media: bytes) -> None:
    began = monotonic()
    first = session.send(request_head("/huge.bin", x_voxel_unreliable="?1;flow=1", x_voxel_deadline="300"))
    # A busy server may send no datagram by the deadline.
    await eventually(lambda: session.received(first).data)
    response = await session.request("/media.mp4", x_voxel_after="1", **MEDIA)
    assert monotonic() - began >= 0.3  # It was held until the deadline.
    assert response.body == media[:100_000]
    sent, _, _ = (await session.response(first)).trailers["x-voxel-sent"].partition(";datagrams=")
    assert int(sent) < 50_000_000


async def test_a_held_flow_expires_and_holds_nothing_back_itself(session: VoxelClient, media: bytes) -> None:
    first = await flood(session)
    headers = {"x_voxel_unreliable": "?1;flow=2", "x_voxel_after": "1", "x_voxel_deadline": "100"}
    held = session.send(request_head("/media.mp4", **headers))
    assert (await session.request("/media.mp4", x_voxel_after="2", **MEDIA)).body == media[:100_000]
    assert (await session.response(held)).trailers["x-voxel-sent"] == "0;datagrams=0"
    assert is_under_way(session, first)
    session.cancel(first)


@pytest.mark.parametrize("value", ["2", "999999999999999", "9999999999999999", "-1", "1.0", "?1", '"1"', "(1)", "1, 1"])
async def test_an_unknown_flow_and_what_is_no_flow_hold_nothing_back(
    session: VoxelClient, media: bytes, value: str
) -> None:
    first = await flood(session)
    assert (await session.request("/media.mp4", x_voxel_after=value, **MEDIA)).body == media[:100_000]
    assert is_under_way(session, first)
    session.cancel(first)


async def test_a_finished_flow_and_a_refused_one_hold_nothing_back(session: VoxelClient, media: bytes) -> None:
    await session.request("/media.mp4", x_voxel_unreliable="?1;flow=1", **MEDIA)
    refused = session.send(request_head("/absent.mp4", x_voxel_unreliable="?1;flow=2"))
    for flow in ("1", "2"):
        assert (await session.request("/media.mp4", x_voxel_after=flow, **MEDIA)).body == media[:100_000]
    assert (await session.response(refused)).status == 404


async def test_no_two_responses_wait_for_each_other(session: VoxelClient) -> None:
    heads = [
        request_head("/media.mp4", x_voxel_unreliable=f"?1;flow={flow}", x_voxel_after=after, **MEDIA)
        for flow, after in ((1, "1"), (2, "3"), (3, "2"))
    ]
    responses = await asyncio.gather(*(session.response(session.send(head)) for head in heads))
    assert [response.trailers["x-voxel-sent"].split(";")[0] for response in responses] == ["100000"] * 3


@pytest.mark.parametrize("unreliable", [{}, {"x_voxel_unreliable": "?1;flow=2"}])
async def test_a_held_response_can_be_cancelled(session: VoxelClient, unreliable: dict[str, str]) -> None:
    first = await flood(session)
    held = session.send(request_head("/media.mp4", x_voxel_after="1", **unreliable))
    await eventually(lambda: has_head_only(session, held))
    session.cancel(held)
    await session.wait_reset(held)
    # Its flow is free again.
    response = await session.request("/media.mp4", x_voxel_unreliable="?1;flow=2", x_voxel_deadline="60000", **MEDIA)
    assert response.trailers["x-voxel-sent"].startswith("100000;")
    assert is_under_way(session, first)
    session.cancel(first)


async def test_errors_do_not_wait(session: VoxelClient) -> None:
    first = await flood(session)
    assert (await session.request("/absent.mp4", x_voxel_after="1")).status == 404
    assert is_under_way(session, first)
    session.cancel(first)


async def test_what_is_shown_later_comes_behind_all_that_is_shown_first(session: VoxelClient, media: bytes) -> None:
    """A player that waits asks in steps: bytes that must come, datagrams, and the next step after those datagrams."""
    heads = [
        request_head("/media.mp4", range="bytes=0-49999"),
        request_head("/media.mp4", range="bytes=50000-149999", x_voxel_unreliable="?1;flow=1"),
        request_head("/media.mp4", range="bytes=150000-199999", x_voxel_after="1"),
        request_head("/media.mp4", range="bytes=200000-249999", x_voxel_unreliable="?1;flow=2", x_voxel_after="1"),
    ]
    first, shown, later, last = [session.send(head) for head in heads]
    await eventually(lambda: session.received(later).data.partition(b"\r\n\r\n")[2])
    assert session.received(first).data.endswith(media[:50_000])
    assert session.assembled(1, 100_000)[1] > 0
    assert (await session.response(later)).body == media[150_000:200_000]
    responses = [await session.response(stream_id) for stream_id in (shown, last)]
    assert [response.trailers["x-voxel-sent"].split(";")[0] for response in responses] == ["100000", "50000"]
    await eventually(lambda: 2 in flows_in_order(session))
    assert flows_in_order(session) == [1, 2]
