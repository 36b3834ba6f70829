"""What every room may use: progress, printing, types, checks, workers, files, limits."""
