"""Executes tasks on a Dask cluster: the same tasks as in processes on this machine, with the same results.

Start a cluster with `dask scheduler` and, on each machine, `dask worker tcp://… --nworkers N --nthreads 1`. Scheduler
and workers need voxel-prepare[dask], and inputs and output folder must have the same paths on all machines.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from voxel_prepare.errors import InputError, PreparationError
from voxel_prepare.jobs.request import Request
from voxel_prepare.jobs.workers import Arguments, Result, Workers, local_workers
from voxel_prepare.media.recipes import MediaRecipe, OnShare

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 10
"""How long to wait for the scheduler, and then for its first worker."""

WANTED_CHECK_SECONDS = 1.0
"""How often a worker checks that the run which waits for its file still exists."""


def workers_for(request: Request, shared: Path) -> AbstractContextManager[Workers]:
    """The workers that the user asked for; they work in the folder `shared`."""
    return local_workers(request.jobs) if request.scheduler is None else cluster_workers(request.scheduler, shared)


@contextmanager
def cluster_workers(address: str, shared: Path) -> Iterator[Workers]:
    """The workers of the scheduler at `address` (`tcp://host:port`), all of which must see the folder `shared`.

    Raises `InputError` if there are none, `PreparationError` if they are lost.
    """
    try:
        from distributed import KilledWorker
    except ImportError as error:
        raise InputError("--scheduler needs Dask, which is not installed: pip install 'voxel-prepare[dask]'") from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors that matter are raised as well
    with _connected(address) as client:
        _check_workers(client, address, shared)
        try:
            yield _ClusterWorkers(client)
        except KilledWorker as error:
            raise PreparationError("workers ended unexpectedly, perhaps because memory ran out") from error
        except CancelledError as error:
            raise PreparationError(f"the connection to the scheduler at {address} was lost") from error


class _ClusterWorkers:
    def __init__(self, client: "Client") -> None:
        # Not pure: Dask must not reuse results of an earlier run with files of the same names.
        self._executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]

    def submit(
        self, function: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Future[Result]:
        future: Future[Result] = self._executor.submit(function, *args, **kwargs)
        return future

    async def write_media(self, recipe: MediaRecipe, path: Path, on_share: OnShare) -> None:
        future = self.submit(write_while_wanted, recipe, path)
        try:
            await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if _is_given_up():
                raise
            raise CancelledError from None
        on_share(1)


def write_while_wanted(recipe: MediaRecipe, path: Path) -> None:
    """Makes a media file in a worker, and stops if the folder of `path` vanishes: then no run waits for it any more.

    Dask may start a task again while a lost worker still writes: each attempt has its own folder.
    """
    with TemporaryDirectory(dir=path.parent, ignore_cleanup_errors=True) as attempt:
        asyncio.run(_write_while_wanted(recipe, Path(attempt) / path.name))
        (Path(attempt) / path.name).replace(path)


async def _write_while_wanted(recipe: MediaRecipe, path: Path) -> None:
    writing = asyncio.ensure_future(recipe.write(path, lambda share: None))
    while not writing.done():
        await asyncio.wait([writing], timeout=WANTED_CHECK_SECONDS)
        if not path.parent.exists():
            writing.cancel()
    try:
        await writing
    except asyncio.CancelledError:
        raise PreparationError(f"{path.name}: the run that needs it has ended") from None


def _is_given_up() -> bool:
    """Whether this process cancels, not the scheduler."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


@contextmanager
def _connected(address: str) -> Iterator["Client"]:
    from distributed import Client

    try:
        client = Client(  # type: ignore[no-untyped-call]
            address, timeout=CONNECT_SECONDS, set_as_default=False
        )
    except (OSError, ValueError) as error:  # asyncio's and Dask's time-outs are OSErrors
        raise InputError(f"no Dask scheduler answers at {address}") from error
    try:
        yield client
    finally:
        # A slow good-bye takes nothing from the result, nor from the error under way.
        with suppress(TimeoutError):
            client.close()  # type: ignore[no-untyped-call]


def _check_workers(client: "Client", address: str, shared: Path) -> None:
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError as error:
        raise InputError(
            f"the scheduler at {address} has no workers: start some with: dask worker {address}"
        ) from error
    seen = client.run(_sees, shared, on_error="return")
    for worker, answer in seen.items():
        if isinstance(answer, BaseException):
            raise InputError(f"the worker at {worker} cannot run voxel-prepare: {answer}")
        if not answer:
            raise InputError(f"the worker at {worker} does not see {shared}: the folder must be shared")


def _sees(folder: Path) -> bool:
    return folder.is_dir()
