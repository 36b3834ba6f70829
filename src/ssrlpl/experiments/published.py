"""Numbers other people printed: the paper's tables and the SSL book's benchmark.

All in percent, (mean, standard deviation). Table 1 of the paper and the book give errors, Table 3
of the paper accuracies.
"""

from __future__ import annotations

from collections.abc import Mapping

Number = tuple[float, float]
Key = tuple[str, str]
"""Data set and protocol, as they are written in result rows."""
Printed = Mapping[Key, Mapping[str, Number]]
"""The figures of a printed table: problem → method → number."""

PAPER_NAME = "SSRL-PL"

PAPER_TABLE_1: dict[Key, dict[str, Number]] = {
    ("book g241c", "10 labels"): {
        "LapSVM": (48, 2), "LapSVMp": (49, 1), "Semi-KSC": (42, 3), PAPER_NAME: (43, 2)},
    ("book g241d", "10 labels"): {
        "LapSVM": (42, 3), "LapSVMp": (43, 3), "Semi-KSC": (43, 4), PAPER_NAME: (38, 3)},
    ("book BCI", "10 labels"): {
        "LapSVM": (48, 3), "LapSVMp": (48, 2), "Semi-KSC": (46, 3), PAPER_NAME: (42, 3)},
    ("book g241c", "100 labels"): {
        "LapSVM": (40, 6), "LapSVMp": (36, 7), "Semi-KSC": (29, 5), PAPER_NAME: (27, 5)},
    ("book g241d", "100 labels"): {
        "LapSVM": (31, 3), "LapSVMp": (31, 2), "Semi-KSC": (28, 5), PAPER_NAME: (25, 3)},
    ("book BCI", "100 labels"): {
        "LapSVM": (37, 4), "LapSVMp": (32, 2), "Semi-KSC": (22, 2), PAPER_NAME: (19, 2)},
}  # fmt: skip
"""Error on unlabeled rows, 12 given splits."""

_DICTIONARIES = ("DKSVD", "FDDL", "LCKSVD2", "OSSDL", "S2D2", PAPER_NAME)


def _row(*numbers: Number) -> dict[str, Number]:
    return dict(zip(_DICTIONARIES, numbers, strict=True))


PAPER_TABLE_3: dict[Key, dict[str, Number]] = {
    ("MNIST-10K", "10% labels"): _row(
        (67.18, 1.4), (74.32, 2.8), (69.91, 1.2), (75.15, 1.7), (76.18, 1.5), (77.18, 1.6)),
    ("MNIST-10K", "20% labels"): _row(
        (70.32, 1.8), (79.41, 1.4), (72.56, 2.2), (78.52, 1.5), (83.61, 0.9), (85.41, 2.3)),
    ("USPS", "10% labels"): _row(
        (60.12, 4.5), (75.63, 3.6), (75.91, 2.6), (79.13, 1.3), (79.61, 2.4), (80.15, 1.9)),
    ("USPS", "20% labels"): _row(
        (66.61, 4.1), (80.12, 1.6), (78.64, 1.6), (81.35, 1.7), (85.45, 2.1), (85.31, 2.3)),
    ("COIL-20", "5% labels"): _row(
        (52.26, 3.1), (68.31, 3.8), (70.23, 3.1), (81.06, 3.4), (80.25, 3.8), (82.34, 1.2)),
    ("COIL-20", "10% labels"): _row(
        (56.31, 6.1), (73.56, 4.1), (76.63, 3.7), (86.91, 1.5), (88.88, 1.0), (89.71, 0.8)),
    ("Reuters", "10% labels"): _row(
        (44.91, 3.6), (49.81, 3.7), (55.18, 3.1), (60.21, 1.9), (59.31, 1.8), (61.12, 3.1)),
    ("Reuters", "20% labels"): _row(
        (49.32, 1.6), (57.18, 1.2), (59.31, 1.7), (65.12, 2.3), (65.18, 3.1), (66.91, 1.2)),
    ("UMIST", "10% labels"): _row(
        (75.6, 1.3), (80.36, 2.2), (77.33, 2.1), (79.18, 2.5), (79.65, 1.9), (81.21, 2.3)),
    ("UMIST", "20% labels"): _row(
        (79.2, 1.6), (83.78, 1.2), (81.18, 1.3), (83.41, 2.1), (82.11, 2.3), (84.31, 2.1)),
    ("SBData", "10% labels"): _row(
        (40.31, 3.9), (52.34, 1.2), (51.23, 2.2), (49.36, 2.2), (50.87, 2.1), (56.12, 2.6)),
    ("SBData", "20% labels"): _row(
        (43.69, 3.4), (57.36, 2.8), (55.37, 1.6), (52.34, 2.1), (55.62, 1.2), (61.74, 1.4)),
}  # fmt: skip
"""Accuracy on test rows, half/half, 10 repetitions. (The text says error; the table, accuracy.)"""

FIRST_DIGITS_TABLE: dict[str, Number] = {
    "OSSDL": (73.2, 1.8), "S2D2": (77.6, 0.8), "SSR-D": (83.8, 1.2), "USSDL": (84.8, 1.7),
    "LP": (85.1, 0.6), "SSP-DL": (85.8, 1.2), "SSD-LP": (87.8, 1.6), "CNN": (88.4, 1.1),
    "Ladder": (89.8, 0.8), "SSDL-GA": (90.0, 0.8),
}  # fmt: skip
"""Accuracy on test rows of the protocol in ``first_digits.py``, from the README of its program;
mostly copied there from earlier papers."""

BOOK_SETS = ("g241c", "g241d", "Digit1", "USPS", "COIL", "BCI", "Text")
BOOK: dict[int, dict[str, tuple[float | None, ...]]] = {
    10: {
        "1-NN": (47.88, 46.72, 13.65, 16.66, 63.36, 49.00, 38.12),
        "SVM": (47.32, 46.66, 30.60, 20.03, 68.36, 49.85, 45.37),
        "MVU+1-NN": (47.15, 45.56, 14.42, 23.34, 62.62, 47.95, 45.32),
        "LEM+1-NN": (44.05, 43.22, 23.47, 19.82, 65.91, 48.74, 39.44),
        "QC+CMN": (39.96, 46.55, 9.80, 13.61, 59.63, 50.36, 40.79),
        "Discrete Reg.": (49.59, 49.05, 12.64, 16.07, 63.38, 49.51, 40.37),
        "TSVM": (24.71, 50.08, 17.77, 25.20, 67.50, 49.15, 31.21),
        "SGT": (22.76, 18.64, 8.92, 25.36, None, 49.59, 29.02),
        "Cluster-Kernel": (48.28, 42.05, 18.73, 19.41, 67.32, 48.31, 42.72),
        "Data-Dep. Reg.": (41.25, 45.89, 12.49, 17.96, 63.65, 50.21, None),
        "LDS": (28.85, 50.63, 15.63, 17.57, 61.90, 49.27, 27.15),
        "Laplacian RLS": (43.95, 45.68, 5.44, 18.99, 54.54, 48.97, 33.68),
        "CHM (normed)": (39.03, 43.01, 14.86, 20.53, None, 46.90, None),
    },
    100: {
        "1-NN": (43.93, 42.45, 3.89, 5.81, 17.35, 48.67, 30.11),
        "SVM": (23.11, 24.64, 5.53, 9.75, 22.93, 34.31, 26.45),
        "MVU+1-NN": (43.01, 38.20, 2.83, 6.50, 28.71, 47.89, 32.83),
        "LEM+1-NN": (40.28, 37.49, 6.12, 7.64, 23.27, 44.83, 30.77),
        "QC+CMN": (22.05, 28.20, 3.15, 6.36, 10.03, 46.22, 25.71),
        "Discrete Reg.": (43.65, 41.65, 2.77, 4.68, 9.61, 47.67, 24.00),
        "TSVM": (18.46, 22.42, 6.15, 9.77, 25.80, 33.25, 24.52),
        "SGT": (17.41, 9.11, 2.61, 6.80, None, 45.03, 23.09),
        "Cluster-Kernel": (13.49, 4.95, 3.79, 9.68, 21.99, 35.17, 24.38),
        "Data-Dep. Reg.": (20.31, 32.82, 2.44, 5.10, 11.46, 47.47, None),
        "LDS": (18.04, 23.74, 3.46, 4.96, 13.72, 43.97, 23.15),
        "Laplacian RLS": (24.36, 26.46, 2.92, 4.68, 11.92, 31.36, 23.57),
        "CHM (normed)": (24.82, 25.67, 3.79, 7.65, None, 36.03, None),
    },
}
"""Error in percent on the book's twelve splits, by number of labels, in the order of
``BOOK_SETS``. Recalled from the literature, not read from the book: lines in a table, never a
criterion. The row called LEM+1-NN is, to the last digit, what plain 1-NN gives on these splits,
so the names of the first four rows may be permuted."""
