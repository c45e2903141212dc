"""Makes the media files in parallel."""

import asyncio
import errno
import os
from collections.abc import Sequence

from voxel_prepare.errors import PreparationError
from voxel_prepare.jobs.plan import PlannedMedia
from voxel_prepare.jobs.progress import WorkProgress
from voxel_prepare.jobs.workers import Workers
from voxel_prepare.jobs.workspace import Workspace


async def make_media(
    workspace: Workspace, planned: Sequence[PlannedMedia], workers: Workers, progress: WorkProgress
) -> None:
    """Makes all parts of `planned`, the most costly first so that all workers end at about the same time.

    Raises the first `PreparationError`. Does not return before the FFmpegs of all others have ended, also if cancelled.
    """
    by_cost = sorted(planned, key=lambda media: media.cost, reverse=True)
    try:
        async with asyncio.TaskGroup() as group:
            for media in by_cost:
                group.create_task(_make(workspace, media, workers, progress))
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None


async def _make(workspace: Workspace, media: PlannedMedia, workers: Workers, progress: WorkProgress) -> None:
    done = 0.0

    def on_share(share: float) -> None:
        nonlocal done
        progress.advance(max(0, share - done) * media.cost)
        done = max(done, share)

    with workspace.make(media.part) as path:
        try:
            await workers.write_media(media.recipe, path, on_share)
        except PreparationError as error:
            place = workspace.folder if os.strerror(errno.ENOSPC) in str(error) else media.source
            raise type(error)(f"{place}: {error}") from error
    on_share(1)
