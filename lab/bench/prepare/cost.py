"""What analysing representations costs, compared with encoding them."""

import asyncio
import resource
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TypeVar

from voxel_prepare.jobs.make_media import make_media
from voxel_prepare.jobs.plan import make_plan
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.jobs.progress import work_progress
from voxel_prepare.jobs.request import Request
from voxel_prepare.jobs.workers import local_workers
from voxel_prepare.jobs.workspace import Workspace
from voxel_prepare.manifest.mpd import Presentation

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Seconds:
    """How long something took."""

    processor: float
    """Processor seconds on all cores, with child processes: what other programs do does not count."""
    clock: float


def prepare_and_time(request: Request) -> tuple[Presentation, Seconds, Seconds]:
    """Encodes, then analyses; the times of both."""
    _, encoding = _timed(lambda: _encode(request))
    presentation, analysis = _timed(lambda: prepare(request))
    return presentation, encoding, analysis


def largest_process() -> int:
    """Bytes: the greatest resident size of any child process that has ended so far."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def _encode(request: Request) -> None:
    """Makes all media files, which `prepare` then finds finished."""
    plan = make_plan(request)
    with (
        closing(Workspace(request.out.absolute())) as workspace,
        local_workers(request.jobs) as workers,
        work_progress() as progress,
    ):
        progress.begin(sum(job.cost for job in plan.media))
        asyncio.run(make_media(workspace, plan.media, workers, progress))


def _timed(function: Callable[[], Result]) -> tuple[Result, Seconds]:
    processor, clock = _processor_seconds(), time.monotonic()
    result = function()
    return result, Seconds(_processor_seconds() - processor, time.monotonic() - clock)


def _processor_seconds() -> float:
    """Processor seconds of this process and all that it has waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
