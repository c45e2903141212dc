"""When the material of an input is shown: from its first picture on, across jumps of its clock and packets without
times.
"""

JUMP_SECONDS = 10.0
"""Longer gaps between pictures, and shorter than none, are jumps of the source's clock (FFmpeg's limit)."""

BACK_SECONDS = 0.1
"""Times of sound go back by no more than that while its clock goes on."""


ROUNDING_SECONDS = 0.0015
"""Seconds by which sums of times in ms are off."""

FEW_PICTURES = 16
"""Pictures that decoders put into another order, at most (H.264, HEVC)."""


class PictureTimes:
    """When the pictures that come out of a decoder, in the order in which they are shown, are: in seconds of the
    container's clock.

    A container may only say when packets are decoded, as AVI does, or nothing, as a raw stream: decoders then give
    pictures the time of another one or none. Its first picture is shown when its first packet is decoded, and so on.
    """

    def __init__(self, frame_seconds: float, *, are_stated: bool) -> None:
        """`are_stated`: whether containers of the kind say when pictures are shown."""
        self._frame_seconds = frame_seconds
        self._are_stated = are_stated
        self._last: float | None = None
        self._decoded: float | None = None
        self._since_back = FEW_PICTURES
        """Pictures since one that was earlier than the one before it."""
        self._delay = 0
        """Packets before the one with which the first picture comes."""

    def wait(self) -> None:
        """No picture comes with a packet."""
        if self._last is None:
            self._delay += 1

    def of(self, stated: float | None, decoded: float | None) -> float:
        """The time of the next picture: `stated` by the decoder; `decoded` is that of the packet with which it comes,
        None at the end.
        """
        following = 0.0 if self._last is None else self._last + self._frame_seconds
        self._since_back += 1
        if stated is not None and self._last is not None and stated < self._last:
            # Pictures come in their order. Times that go back again and again are others; once, the clock begins anew.
            self._are_stated &= self._since_back > FEW_PICTURES
            self._since_back = 0
        if self._are_stated:
            self._last = following if stated is None else stated
        elif decoded is None or decoded == self._decoded:  # several come with one packet, or after the last
            self._last = following
        else:
            shown = decoded - self._delay * self._frame_seconds
            goes_on = self._decoded is not None and decoded > self._decoded and self._last is not None
            self._last = max(shown, self._last or 0.0) if goes_on else shown
        self._decoded = decoded
        return self._last


class SoundTimes:
    """When pieces of sound are heard, in seconds of the container's clock.

    A container states the time of one piece in some, and FFmpeg counts on from there: with the rate that it found at
    the beginning, also where it is another one later.
    """

    def __init__(self) -> None:
        self._first_rate: int | None = None
        self._stated = 0.0
        self._time = 0.0
        self._samples = 0

    def of(self, stated: float, samples: int, rate: int) -> float:
        """The time of the next piece, of so many samples."""
        self._first_rate = self._first_rate or rate
        counted = self._stated + self._samples / self._first_rate
        is_counted = rate != self._first_rate and self._samples > 0 and abs(stated - counted) < ROUNDING_SECONDS
        self._time = self._time + self._samples / rate if is_counted else stated
        self._stated, self._samples = stated, samples
        return self._time


class InputClock:
    """Seconds since the first picture, which go on where the source begins anew."""

    def __init__(self, frame_seconds: float) -> None:
        self._frame_seconds = frame_seconds
        self._start: float | None = None
        self._sound_start = 0.0
        self._sound: float | None = None
        """The newest time of sound, which may begin anew before or after the pictures."""
        self.end = 0.0
        """When the last picture ends."""

    def picture(self, time: float) -> float:
        """The seconds at which a picture is shown that has a time of the container."""
        if self._start is None:
            self._start = self._sound_start = time
        last = self._start + self.end - self._frame_seconds
        if self.end > 0 and not 0 <= time - last <= JUMP_SECONDS:
            self._start = time - self.end  # the source has begun anew: these pictures follow the others
            if self._sound is not None and abs(self._sound - time) < abs(self._sound - last):
                self._sound_start = self._start
        self.end = time - self._start + self._frame_seconds
        return time - self._start

    def sound(self, time: float) -> float | None:
        """The same of sound; None before the first picture."""
        if self._start is None:
            return None
        if self._sound is not None and not -BACK_SECONDS <= time - self._sound <= JUMP_SECONDS:
            self._sound_start = self._start
        self._sound = time
        return time - self._sound_start
