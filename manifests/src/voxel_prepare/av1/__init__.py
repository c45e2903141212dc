"""AV1 as far as headers tell what a frame needs: OBUs, sequence headers, frame headers up to their references."""
