"""Helpers for every package: progress, printing, types, checks, workers, files, limits."""
