"""Makes the media files, several at a time."""

import asyncio
from collections.abc import Sequence

from voxel_prepare.jobs.plan import MediaJob
from voxel_prepare.jobs.progress import WorkProgress
from voxel_prepare.jobs.workers import Workers
from voxel_prepare.jobs.workspace import Workspace


async def make_media(workspace: Workspace, jobs: Sequence[MediaJob], workers: Workers, progress: WorkProgress) -> None:
    """Makes all parts of `jobs`, the most costly first so that none is left over at the end.

    Raises the first `PreparationError`; the caller's event loop then cancels the other jobs, which ends their FFmpegs.
    """
    by_cost = sorted(jobs, key=lambda job: job.cost, reverse=True)
    await asyncio.gather(*(_make(workspace, job, workers, progress) for job in by_cost))


async def _make(workspace: Workspace, job: MediaJob, workers: Workers, progress: WorkProgress) -> None:
    done = 0.0

    def on_share(share: float) -> None:
        nonlocal done
        progress.advance((share - done) * job.cost)
        done = share

    with workspace.make(job.part) as path:
        await workers.write_media(job.recipe, path, on_share)
    on_share(1)
