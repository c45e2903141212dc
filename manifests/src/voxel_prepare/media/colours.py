"""What the colours of a source mean, and the filters that make 8-bit SDR of them."""

from dataclasses import dataclass

UNSPECIFIED = 2
"""Means so for each of the codes below (ISO/IEC 23091-2)."""

HDR_TRANSFERS = {16: "PQ", 18: "HLG"}
"""Names of the transfer characteristics that need tone mapping (ITU-R BT.2100)."""

HDR_DEFAULTS = {"color_primaries": "bt2020", "colorspace": "bt2020nc"}
"""What an HDR picture has where it states nothing else."""

TONE_MAPPING_FILTERS = ("zscale", "tonemap")

WHITE_NITS = 203
"""Luminance of white in HDR, cd/m² (ITU-R BT.2408): it becomes that of SDR."""

KNEE = 0.6
"""Darker light, relative to white, stays as it is; brighter light is compressed (mobius)."""


@dataclass(frozen=True, slots=True)
class Colours:
    """How the numbers of a picture are meant: codes of ISO/IEC 23091-2, as a decoded picture states them."""

    primaries: int
    transfer: int
    matrix: int
    is_rgb: bool
    """Whether a pixel has red, green and blue."""

    @property
    def hdr(self) -> str | None:
        """Name of the HDR system; None for SDR."""
        return HDR_TRANSFERS.get(self.transfer)

    def scale_options(self) -> str:
        """Options of FFmpeg's `scale`: RGB gets the matrix of HD video; others keep what they have."""
        return ":out_color_matrix=bt709:out_range=limited" if self.is_rgb and self.hdr is None else ""

    def filters(self) -> list[str]:
        """FFmpeg's filters that make 8-bit 4:2:0 SDR of scaled pictures."""
        if self.hdr is not None:
            return [*self._tone_mapping(), "format=yuv420p"]
        tags = ["setparams=colorspace=bt709:range=limited"] if self.is_rgb else []  # FFmpeg 5.1 leaves them out
        return ["format=yuv420p", *tags]

    def _tone_mapping(self) -> list[str]:
        stated = {"color_primaries": self.primaries, "colorspace": self.matrix}
        missing = [f"{name}={HDR_DEFAULTS[name]}" for name, code in stated.items() if code == UNSPECIFIED]
        return [
            *([f"setparams={':'.join(missing)}"] if missing else []),
            # HLG by its own function of luminance, not by an approximate one of each colour.
            f"zscale=transfer=linear:agamma=false:npl={WHITE_NITS}",
            "format=gbrpf32le",
            "zscale=primaries=bt709",
            f"tonemap=mobius:param={KNEE}:desat=0",
            "zscale=transfer=bt709:matrix=bt709:range=limited",
        ]
