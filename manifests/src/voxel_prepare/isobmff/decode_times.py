"""When samples are decoded, such that all readers show them at the same times.

B pictures are decoded after others that are shown later. Files can say so by composition offsets below 0, of which
FFmpeg adds the greatest to all times, or by an edit list, which some readers ignore (docs/MANIFEST.md, "Times of
frames"). Here no offset is below 0 and there is no edit list: decoding begins when the first sample is shown, and the
first few, all of which are decoded by the time the second one is shown, share the duration of one.
"""

from collections.abc import Sequence


def reordering(shown: Sequence[int]) -> int:
    """How many samples decoding must be ahead. `shown`: the time of each sample, in decode order."""
    ranks = {time: rank for rank, time in enumerate(sorted(shown))}
    return max((place - ranks[time] for place, time in enumerate(shown)), default=0)


def decode_time(place: int, shown: Sequence[int], delay: int) -> int:
    """When the sample at `place` in decode order is decoded.

    `shown`: when the samples from the segment's start to this one at least are shown, ascending; `delay`: their
    `reordering`, or more.
    """
    if place > delay:
        return shown[place - delay]
    return shown[0] + (shown[1] - shown[0]) * place // (delay + 1) if place else shown[0]


def decode_times(shown: Sequence[int], end: int) -> list[int]:
    """When the samples of a segment are decoded. `shown`: the time of each, in decode order; `end`: the segment's end.

    A sample lasts until the next is decoded: none is shown beyond `end`, as browsers would count that as buffered, or
    leave it out at the end of a presentation.
    """
    delay, ascending = reordering(shown), sorted(shown)
    times = [decode_time(place, ascending, delay) for place in range(len(shown))]
    following = earliest = end
    for place in reversed(range(len(shown))):
        earliest = min(earliest, shown[place])
        following = max(min(times[place], earliest), following - (end - shown[place]))
        times[place] = following
    return times
