"""HEVC (H.265) as far as headers tell what a picture needs: parameter sets, and slice headers up to their reference
picture set.
"""
