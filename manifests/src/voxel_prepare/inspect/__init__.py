"""What `voxel-inspect` shows: reads a finished manifest back and presents it as a table, as JSON or as a plot."""
