"""Media files: examines sources, encodes or copies them, and checks and reads the result."""
