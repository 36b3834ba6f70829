"""One summary and its arrays in, one self-contained HTML page out. Computes nothing."""

from .page import check_can_render, render_report

__all__ = ["check_can_render", "render_report"]
