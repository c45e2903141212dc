"""HDR pictures become SDR ones of the same light; white of HDR (ITU-R BT.2408) becomes that of SDR."""

from av.video.frame import VideoFrame
from av.video.reformatter import ColorPrimaries, Colorspace, ColorTrc, VideoReformatter

from voxel_prepare.jobs.progress import say
from voxel_prepare.media.colours import HDR_TRANSFERS, UNSPECIFIED

BT2020_MATRIX = 9
"""BT.2020 with non-constant luminance (ISO/IEC 23091-2)."""


class ToneMapping:
    """Maps pictures by a table of libswscale, which takes seconds to make; saturated colours become a little paler."""

    def __init__(self) -> None:
        self._reformatter = VideoReformatter()
        self._said: str | None = None

    def mapped(self, picture: VideoFrame) -> VideoFrame:
        """An HDR picture in 8-bit 4:2:0 SDR; any other as it is."""
        hdr = HDR_TRANSFERS.get(picture.color_trc)
        if hdr is None:
            return picture
        if hdr != self._said:
            self._said = hdr
            say(f"HDR ({hdr}) is mapped to SDR")
        # What an HDR picture has where it states nothing else.
        if picture.color_primaries == UNSPECIFIED:
            picture.color_primaries = ColorPrimaries.BT2020
        if picture.colorspace == UNSPECIFIED:
            picture.colorspace = BT2020_MATRIX
        mapped = self._reformatter.reformat(
            picture,
            picture.width,
            picture.height,
            "yuv420p",
            dst_colorspace=Colorspace.ITU709,
            dst_color_trc=ColorTrc.BT709,
            dst_color_primaries=ColorPrimaries.BT709,
        )
        mapped.pts, mapped.time_base = picture.pts, picture.time_base
        return mapped
