"""FFmpeg's all-component SSIM of single pictures, through a PyAV filter graph."""

from fractions import Fraction

from av.filter import Graph
from av.video.frame import VideoFrame

TIME_BASE = Fraction(1, 25)
"""Any will do: pairs are matched by equal time stamps."""


class SsimMeter:
    """Compares pictures with reference pictures after scaling them to the references' size (bicubic).

    All pictures must be like `picture`, all references like `reference`, in size and format.
    """

    def __init__(self, picture: VideoFrame, reference: VideoFrame) -> None:
        self._graph = graph = Graph()  # its filters do not keep it alive
        graph.threads = 1
        self._inputs = [
            graph.add_buffer(width=frame.width, height=frame.height, format=frame.format, time_base=TIME_BASE)
            for frame in (picture, reference)
        ]
        scale = graph.add("scale", f"{reference.width}:{reference.height}:flags=bicubic")
        pixel_format = graph.add("format", reference.format.name)
        ssim = graph.add("ssim")
        self._output = graph.add("buffersink")
        self._inputs[0].link_to(scale)
        scale.link_to(pixel_format)
        pixel_format.link_to(ssim, 0, 0)
        self._inputs[1].link_to(ssim, 0, 1)
        ssim.link_to(self._output)
        graph.configure()
        self._pairs = 0

    def measure(self, picture: VideoFrame, reference: VideoFrame) -> float:
        """FFmpeg's `lavfi.ssim.All`: the mean over all planes' samples, 1 for equal pictures."""
        for frame, source in zip((picture, reference), self._inputs, strict=True):
            frame.pts, frame.time_base = self._pairs, TIME_BASE
            source.push(frame)
        self._pairs += 1
        return float(self._output.pull().metadata["lavfi.ssim.All"])
