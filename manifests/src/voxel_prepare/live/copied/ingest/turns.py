"""One request after the other for each track, in the order in which they came."""

import asyncio
from types import TracebackType


class Turn:
    """Held while a request brings media of a track. The next request may come over another connection before the last
    bytes of this one are read; but one that sends nothing more, and has not been closed, must end.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._holder: asyncio.Task[None] | None = None

    async def take(self, patience: float) -> None:
        """Waits for the turn; after so many seconds whoever has it is cancelled."""
        try:
            async with asyncio.timeout(patience):
                await self._lock.acquire()
        except TimeoutError:
            if self._holder is not None:
                self._holder.cancel()
            await self._lock.acquire()
        self._holder = asyncio.current_task()

    def give_back(self) -> None:
        """Lets the next one have it."""
        self._holder = None
        self._lock.release()


class Turns:
    """The turns that one request has."""

    def __init__(self, turns: dict[str, Turn], patience: float) -> None:
        """`turns`: those of all tracks, by their names."""
        self._turns, self._patience = turns, patience
        self._held: dict[str, Turn] = {}

    async def take(self, name: str) -> None:
        """Waits for the turn of a track, unless this request has it."""
        if name in self._held:
            return
        turn = self._turns.setdefault(name, Turn())
        await turn.take(self._patience)
        self._held[name] = turn

    def __enter__(self) -> "Turns":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for turn in self._held.values():
            turn.give_back()
