"""Data to try things on: generators, and a way to hide labels."""

from .generators import make_two_moons
from .hiding import hide_labels

__all__ = ["hide_labels", "make_two_moons"]
