"""A module for each target: `fuzz` takes any bytes, and raises whatever must not be raised."""
