"""One summary and its arrays in, one self-contained HTML page out. Computes nothing."""

from .page import render_report

__all__ = ["render_report"]
