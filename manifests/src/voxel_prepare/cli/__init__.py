"""The console commands: options in, one-line errors and exit codes out."""
