"""Clips of known colours, made from formulas, and the colours of a decoded picture: FFmpeg converts neither."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray
from voxel_prepare.ffmpeg import ffmpeg_program

Array = NDArray[np.float64]

COLUMNS, ROWS = 4, 3
PATCH = 80
"""Pixels of a side."""
FRAMES = 25

PATCHES: Array = np.array(
    [
        *([grey] * 3 for grey in (0, 0.25, 0.5, 0.75, 1)),
        *((0.75, 0, 0), (0, 0.75, 0), (0, 0, 0.75), (0.75, 0.75, 0), (0, 0.75, 0.75), (0.75, 0, 0.75)),
        (0.8, 0.55, 0.45),
    ]
)
"""Red, green and blue as signal values from 0 to 1: greys, 75 % bars and skin, line by line."""

LUMA = {"bt709": (0.2126, 0.0722), "smpte170m": (0.299, 0.114), "bt2020nc": (0.2627, 0.0593)}
"""Weights of red and blue, by FFmpeg's name of the matrix (ITU-R BT.709, BT.601, BT.2020)."""

MATRIX_NAMES = {1: "bt709", 5: "smpte170m", 6: "smpte170m", 9: "bt2020nc"}
"""FFmpeg's names by code of ISO/IEC 23091-2."""

WHITE_NITS = 203
"""Luminance of white in HDR (ITU-R BT.2408)."""

BT709_TO_BT2020 = np.array([[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]])
"""ITU-R BT.2087, of light."""


@dataclass(frozen=True)
class Form:
    """How colours are written down."""

    pixels: str = "yuv420p"
    """FFmpeg's planar format."""
    matrix: str = "bt709"
    primaries: str = "bt709"
    transfer: str = "bt709"
    range: str = "tv"

    @property
    def bits(self) -> int:
        return 10 if "p10" in self.pixels else 8


def light(signal: Array) -> Array:
    """Light that an SDR display makes of a signal (ITU-R BT.1886)."""
    return np.maximum(signal, 0) ** 2.4


def pq(nits: Array) -> Array:
    """The PQ signal of a luminance (ITU-R BT.2100)."""
    power = (np.maximum(nits, 0) / 10_000) ** 0.1593017578125
    return ((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power)) ** 78.84375


def hlg(nits: Array) -> Array:
    """The HLG signal with which a display of 1000 cd/m² shows such light (ITU-R BT.2100)."""
    shown = np.maximum(nits, 0) / 1000
    luminance = shown @ np.array([0.2627, 0.6780, 0.0593])
    scene = shown * np.where(luminance > 0, luminance, 1)[..., None] ** (1 / 1.2 - 1)
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    return np.where(scene <= 1 / 12, np.sqrt(3 * scene), a * np.log(np.maximum(12 * scene - b, 1e-9)) + c)


def as_hdr(signal: Array, transfer: str) -> Array:
    """What shows the same light as an SDR signal, at the luminance of white in HDR."""
    nits = WHITE_NITS * light(signal) @ BT709_TO_BT2020.T
    return pq(nits) if transfer == "smpte2084" else hlg(nits)


def planes(signal: Array, form: Form) -> list[Array]:
    """Code values of luma and chroma, or of green, blue and red."""
    full, scale = 2**form.bits - 1, 2 ** (form.bits - 8)
    if form.pixels.startswith("gbrp"):
        return [np.round(signal[..., channel] * full) for channel in (1, 2, 0)]
    red, blue = LUMA[form.matrix]
    y = signal @ np.array([red, 1 - red - blue, blue])
    chroma = [(signal[..., channel] - y) / (2 * (1 - weight)) for channel, weight in ((2, blue), (0, red))]
    if form.range == "pc":
        return [np.round(y * full), *(np.round(part * full) + 128 * scale for part in chroma)]
    return [np.round((16 + 219 * y) * scale), *(np.round((128 + 224 * part) * scale) for part in chroma)]


def write_clip(path: Path, form: Form, *options: str, signal: Array = PATCHES, rows: int = ROWS) -> Path:
    """A clip of the patches, as near to lossless as H.264 is; `options` override the encoder's."""
    kind = np.dtype("<u2" if form.bits > 8 else "u1")
    picture = b""
    for number, plane in enumerate(planes(signal.reshape(rows, COLUMNS, 3), form)):
        high = PATCH // 2 if number and form.pixels.startswith(("yuv420", "yuvj420")) else PATCH
        wide = PATCH // 2 if number and form.pixels.startswith(("yuv42", "yuvj42")) else PATCH
        picture += plane.repeat(high, axis=0).repeat(wide, axis=1).astype(kind).tobytes()
    tags = f"colorspace={form.matrix}:color_primaries={form.primaries}:color_trc={form.transfer}:range={form.range}"
    raw = ("-f", "rawvideo", "-pix_fmt", form.pixels, "-s", f"{COLUMNS * PATCH}x{rows * PATCH}", "-r", "25", "-i", "-")
    encoder = ("-c:v", "libx264", "-preset", "veryfast", "-qp", "1", "-g", "25")
    command = [ffmpeg_program(), "-v", "error", *raw, "-vf", f"setparams={tags}", *encoder, *options, str(path)]
    subprocess.run(command, check=True, input=picture * FRAMES)
    return path


@dataclass(frozen=True)
class Shown:
    """A decoded picture."""

    patches: Array
    """One signal for each patch, line by line, as in `PATCHES`."""
    form: Form


def shown(path: Path, columns: int = COLUMNS, rows: int = ROWS) -> Shown:
    """The first picture of a file of 8-bit 4:2:0, as its own tags say it must be read."""
    with av.open(str(path)) as container:
        frame = next(container.decode(video=0))
    assert frame.format.name in {"yuv420p", "yuvj420p"}
    height, width = frame.height, frame.width
    data = frame.to_ndarray().reshape(-1).astype(np.float64)
    sizes = [(height, width), (height // 2, width // 2), (height // 2, width // 2)]
    ends = np.cumsum([high * wide for high, wide in sizes])
    parts = [part.reshape(size) for part, size in zip(np.split(data, ends[:-1]), sizes, strict=True)]
    y, u, v = (_means(part, columns, rows) for part in parts)
    is_full = frame.color_range == 2 or frame.format.name == "yuvj420p"
    luma, blueness, redness = (y / 255, u - 128, v - 128) if is_full else ((y - 16) / 219, u - 128, v - 128)
    scale = 255 if is_full else 224
    matrix = MATRIX_NAMES[frame.colorspace]
    red, blue = LUMA[matrix]
    r = luma + 2 * (1 - red) * redness / scale
    b = luma + 2 * (1 - blue) * blueness / scale
    g = (luma - red * r - blue * b) / (1 - red - blue)
    tags = {1: "bt709", 5: "bt470bg", 6: "smpte170m", 9: "bt2020"}
    transfers = {1: "bt709", 6: "smpte170m", 14: "bt2020-10", 16: "smpte2084", 18: "arib-std-b67"}
    form = Form(
        frame.format.name,
        matrix,
        tags.get(frame.color_primaries, str(frame.color_primaries)),
        transfers.get(frame.color_trc, str(frame.color_trc)),
        "pc" if is_full else "tv",
    )
    return Shown(np.stack([r, g, b], axis=-1).reshape(-1, 3), form)


def _means(plane: Array, columns: int, rows: int) -> Array:
    """The mean in the middle of each patch."""
    high, wide = plane.shape[0] / rows, plane.shape[1] / columns
    return np.array(
        [
            [
                plane[
                    int((row + 0.3) * high) : int((row + 0.7) * high),
                    int((column + 0.3) * wide) : int((column + 0.7) * wide),
                ].mean()
                for column in range(columns)
            ]
            for row in range(rows)
        ]
    )
