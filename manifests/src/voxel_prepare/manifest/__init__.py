"""The files that describe a presentation: writes the MPD and its indexes, and reads existing MPDs."""
