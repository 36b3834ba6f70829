"""Ratios against peers and the machine's limit: ``python -m benchmarks`` or ``make bench``."""
