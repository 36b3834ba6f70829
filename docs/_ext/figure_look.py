"""How the figures of the gallery look: room at the edge, no frame above and to the right."""

from typing import Any

import matplotlib


def reset(gallery_conf: dict[str, Any], file_name: str) -> None:
    """Set the look; sphinx-gallery calls it before each example, after Matplotlib's own reset."""
    matplotlib.rcParams.update(
        {
            "axes.spines.right": False,
            "axes.spines.top": False,
            "figure.constrained_layout.h_pad": 0.1,
            "figure.constrained_layout.w_pad": 0.1,
        }
    )
