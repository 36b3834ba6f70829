"""Color-blind safe, measured: the classes are told apart by eyes of every common kind."""

from itertools import combinations

import numpy as np
import pytest

from ssrlpl.report.palette import DARK, DISTINCT, LIGHT, color_index, symbol

# Machado, Oliveira and Fernandes (2009), full severity, for linear RGB.
EYES = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
# Ottosson's OKLab, in which equal distances look equally large.
TO_CONES = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005]]  # fmt: skip
TO_LAB = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
          [0.0259040371, 0.7827717662, -0.8086757660]]  # fmt: skip


def linear(color):
    shares = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def seen(color, eye):
    light = np.clip(np.asarray(EYES[eye]) @ linear(color), 0, 1)
    return 100 * (np.asarray(TO_LAB) @ np.cbrt(np.asarray(TO_CONES) @ light))


def contrast(color, page):
    low, high = sorted(linear(c) @ [0.2126, 0.7152, 0.0722] for c in (color, page))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_no_two_colors_look_alike(colors, eye):
    for first, second in combinations(range(len(colors)), 2):
        distance = np.linalg.norm(seen(colors[first], eye) - seen(colors[second], eye))
        assert distance > (15 if symbol(first) == symbol(second) else 7)


@pytest.mark.parametrize(("colors", "page"), [(LIGHT, "#ffffff"), (DARK, "#14171c")])
def test_colors_stand_out_from_the_page(colors, page):
    assert min(contrast(color, page) for color in colors) > 2.6


def test_fifty_classes_have_a_look_of_their_own():
    looks = {(color_index(code), symbol(code)) for code in range(DISTINCT)}
    assert len(looks) == DISTINCT == 50
