"""Ranks and scores the frames of a segment: which may be missing, in what order, and what a viewer then sees."""
