"""VP9 as far as headers tell what a frame needs: superframes, and uncompressed headers up to their references."""
