"""The string of a `vpcC` (VP Codec ISO Media File Format Binding, "VP Codec Configuration Box")."""

LEAST_BYTES = 12
"""Version and flags, eight bytes of fields; initialization data may follow."""

CHROMA_420 = (0, 1)
"""chromaSubsampling: sited vertically or with luma."""

USUAL_COLOURS = (1, 2)
"""BT.709, and unspecified."""


def codec_string(sample_entry: str, configuration: bytes) -> str:
    """Profile, level and bit depth; samples and colours where they are not what their absence says."""
    profile, level, packed, *colours = configuration[4:10]
    depth, chroma, full_range = packed >> 4, packed >> 1 & 7, packed & 1
    short = f"{sample_entry}.{profile:02}.{level:02}.{depth:02}"
    if chroma in CHROMA_420 and not full_range and all(code in USUAL_COLOURS for code in colours):
        return short
    return ".".join([short, f"{chroma:02}", *(f"{code:02}" for code in colours), f"{full_range:02}"])
