"""Repair in any codec: which bytes of a segment's frames may be missing, and a valid segment without them."""
