"""What a response says of the path: the field `cmsd-dynamic` (CTA-5006 section 2.2)."""

from dataclasses import dataclass
from typing import Final

SERVER: Final = '"voxel"'
"""The server's name in the field."""


@dataclass(frozen=True)
class Figures:
    """What the congestion control of a connection knows."""

    delivery_rate: float | None = None
    """Bytes per second; None before the first sample."""
    smoothed_rtt: float | None = None
    """Seconds; None before the first sample."""

    @property
    def cmsd_dynamic(self) -> str | None:
        """The field's value; None: there is nothing to say."""
        # kbit/s. A rate that rounds to none says nothing.
        etp = 0 if self.delivery_rate is None else round(self.delivery_rate * 8 / 1000)
        parts = [f";etp={etp}"] if etp else []
        if self.smoothed_rtt is not None:
            parts.append(f";rtt={round(self.smoothed_rtt * 1000)}")
        return SERVER + "".join(parts) if parts else None
