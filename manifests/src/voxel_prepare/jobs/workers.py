"""Where the work is done: in processes on this machine, or on a cluster (cluster.py)."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import ParamSpec, Protocol, TypeVar

from voxel_prepare.errors import PreparationError
from voxel_prepare.media.recipes import MediaRecipe, OnShare

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Workers(Protocol):
    """Executes tasks, as many in parallel as there are workers."""

    async def write_media(self, recipe: MediaRecipe, path: Path, on_share: OnShare) -> None:
        """Makes a media file. When cancelled, its FFmpeg is killed. Raises `PreparationError`."""
        ...

    def submit(
        self, function: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Future[Result]:
        """Calls a function of a module in another process, which may be on another machine."""
        ...


class LocalWorkers:
    """The processes of a pool on this machine."""

    def __init__(self, pool: Executor, at_a_time: int) -> None:
        self.submit = pool.submit
        self._slots = asyncio.Semaphore(at_a_time)

    async def write_media(self, recipe: MediaRecipe, path: Path, on_share: OnShare) -> None:
        """Runs in this process, as FFmpeg is a process of its own."""
        async with self._slots:
            await recipe.write(path, on_share)


@contextmanager
def local_workers(processes: int) -> Iterator[Workers]:
    """Processes on this machine, which end with the block. Raises `PreparationError` if one dies."""
    # Not forked: this process has threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_follow_parent) as pool:
        try:
            yield LocalWorkers(pool, processes)
        except BrokenProcessPool as error:
            raise PreparationError("a worker process ended unexpectedly, perhaps because memory ran out") from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def _follow_parent() -> None:
    """Leaves Ctrl-C, which reaches all processes of a terminal, to the parent, and ends with it if that is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_after_parent, daemon=True).start()


def _end_after_parent() -> None:
    """A worker would wait for work for ever: it holds the other end of its queue, too."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
