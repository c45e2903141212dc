"""Encodes an input in real time into a growing low-latency stream: docs/MANIFEST.md, "Live folder"."""
