"""One connection of an encoder, in HTTP/1.1: requests one after the other, each body read as it comes."""

import asyncio
import contextlib
from http import HTTPStatus

import h11

from voxel_prepare.isobmff import Mp4Error, UnsupportedMp4
from voxel_prepare.live.copied.ingest.address import Ingest
from voxel_prepare.live.copied.ingest.body import BodyReader, Header, Media
from voxel_prepare.live.copied.ingest.names import header_name, is_manifest, media_names
from voxel_prepare.live.copied.ingest.tracks import IngestTracks, NoHeader, TooManyTracks
from voxel_prepare.live.copied.ingest.turns import Turn, Turns

READ_BYTES = 1 << 16
HEAD_BYTES = 1 << 14
MOST_PATH = 512
"""Characters."""
FIRST_HEAD_SECONDS, HEAD_SECONDS = 10.0, 60.0
"""Until the first head, and the next one, are complete."""
BODY_SECONDS = 30.0
"""After so long without a byte of a body the connection ends."""
WRITE_SECONDS = 10.0
TURN_SECONDS = 2.0
"""How long a request of a track waits for the one before it, which may be of a connection that is dead."""
LINGER_SECONDS, LINGER_BYTES = 1.0, 1 << 20
"""A refused sender may still be sending: closing at once would reset the connection before it reads the answer."""


class Refusal(Exception):
    """The answer to a request whose body is not read to its end."""

    def __init__(self, status: HTTPStatus, reason: str, *headers: tuple[str, str]) -> None:
        super().__init__(reason)
        self.status, self.headers = status, headers


class IngestConnection:
    """Serves one connection."""

    def __init__(
        self,
        ingest: Ingest,
        tracks: IngestTracks,
        turns: dict[str, Turn],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._ingest, self._tracks, self._turns = ingest, tracks, turns
        self._reader, self._writer = reader, writer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_BYTES)

    async def serve(self) -> None:
        """Until the sender or an error ends it. Raises `OSError`, `TimeoutError`, `h11.ProtocolError`."""
        seconds = FIRST_HEAD_SECONDS
        try:
            while (request := await self._head(seconds)) is not None:
                status, text = await self._answer(request)
                await self._send(status, text, request.method)
                if self._http.our_state is not h11.DONE:
                    return
                self._http.start_next_cycle()
                seconds = HEAD_SECONDS
        except Refusal as refusal:
            await self._send(refusal.status, str(refusal), b"", *refusal.headers, ("connection", "close"))
            await self._linger()

    async def _head(self, seconds: float) -> h11.Request | None:
        """The next request; None at the end of the connection."""
        async with asyncio.timeout(seconds):
            try:
                event = await self._event()
            except h11.RemoteProtocolError as error:
                raise Refusal(HTTPStatus(error.error_status_hint), "expected a request of HTTP/1.1") from error
        return event if isinstance(event, h11.Request) else None

    async def _answer(self, request: h11.Request) -> tuple[HTTPStatus, str]:
        """Takes a request with its body. Raises `Refusal` where that is not read."""
        path, _, query = request.target.decode("ascii").partition("?")
        if not self._ingest.permits(request.headers, query):
            reason = "expected the token, in Authorization: Bearer or as ?token="
            raise Refusal(HTTPStatus.UNAUTHORIZED, reason, ("www-authenticate", "Bearer"))
        if request.method not in {b"PUT", b"POST", b"DELETE"}:
            raise Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "expected PUT or POST", ("allow", "PUT, POST, DELETE"))
        if not path.startswith("/") or len(path) > MOST_PATH:
            raise Refusal(HTTPStatus.BAD_REQUEST, f"expected a path of up to {MOST_PATH} characters")
        if request.method == b"DELETE" or is_manifest(path):
            while await self._data() is not None:
                pass
            return HTTPStatus.OK, "not needed"
        return await self._take(path)

    async def _take(self, path: str) -> tuple[HTTPStatus, str]:
        """Takes what is sent of a track. A track that cannot be copied is read all the same, and refused at its end:
        encoders that have a connection closed give up the other tracks, too.
        """
        body = BodyReader()
        name = header_name(path)
        problem: tuple[HTTPStatus, str] | None = None
        with Turns(self._turns, TURN_SECONDS) as turns:
            try:
                while (data := await self._data()) is not None:
                    if problem is None:
                        try:
                            for part in body.feed(data):
                                name = await self._part(path, part, turns)
                        except (UnsupportedMp4, NoHeader, TooManyTracks) as error:
                            problem = _status(error), str(error)
                            self._tracks.refused(error.name if isinstance(error, NoHeader) else name, str(error))
            except (OSError, TimeoutError, h11.RemoteProtocolError):
                self._tracks.broke_off(name)
                raise
            except Mp4Error as error:
                self._tracks.refused(name, str(error))
                raise Refusal(HTTPStatus.BAD_REQUEST, str(error)) from error
        if problem is None and not body.is_whole:
            problem = HTTPStatus.BAD_REQUEST, "the body ends inside a box"
            self._tracks.refused(name, problem[1])
        return problem or (HTTPStatus.OK, "taken")

    async def _part(self, path: str, part: Header | Media, turns: Turns) -> str:
        """Adds a part to its track, when it is this request's turn; the name of the track."""
        if isinstance(part, Header):
            name = header_name(path)
            self._tracks.admit(name)
            await turns.take(name)
            self._tracks.header(name, part.data)
        else:
            name = self._tracks.known(media_names(path))
            await turns.take(name)
            self._tracks.media(name, part.data, part.events)
        return name

    async def _data(self) -> bytes | None:
        """The next bytes of the body; None at its end."""
        async with asyncio.timeout(BODY_SECONDS):
            event = await self._event()
        return bytes(event.data) if isinstance(event, h11.Data) else None

    async def _event(self) -> object:
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._http.they_are_waiting_for_100_continue:
                await self._write(h11.InformationalResponse(status_code=100, headers=[]))
            self._http.receive_data(await self._reader.read(READ_BYTES))

    async def _send(self, status: HTTPStatus, text: str, method: bytes, *headers: tuple[str, str]) -> None:
        content = f"{text}\n".encode()
        fields = [("content-type", "text/plain; charset=utf-8"), ("content-length", str(len(content))), *headers]
        await self._write(h11.Response(status_code=status.value, reason=status.phrase.encode(), headers=fields))
        if method != b"HEAD":
            await self._write(h11.Data(data=content))
        await self._write(h11.EndOfMessage())

    async def _write(self, event: h11.Event) -> None:
        if data := self._http.send(event):
            self._writer.write(data)
            async with asyncio.timeout(WRITE_SECONDS):
                await self._writer.drain()

    async def _linger(self) -> None:
        self._writer.write_eof()
        with contextlib.suppress(TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(LINGER_SECONDS):
                await self._reader.readexactly(LINGER_BYTES)


def _status(error: Exception) -> HTTPStatus:
    if isinstance(error, UnsupportedMp4):
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    return HTTPStatus.PRECONDITION_FAILED if isinstance(error, NoHeader) else HTTPStatus.FORBIDDEN
