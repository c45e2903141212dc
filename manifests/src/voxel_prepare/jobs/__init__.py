"""Runs a preparation: plans it, distributes the work over processes or machines, and publishes the output folder."""
