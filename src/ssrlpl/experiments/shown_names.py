"""Names of data sets for readers."""

from __future__ import annotations


def shown_name(dataset: str) -> str:
    """Return the name of a data set among others of its kind."""
    if dataset == "Reuters":
        return "Reuters (stand-in)"
    return dataset.removeprefix("book ").removeprefix("dev ").removeprefix("keel ")


def full_name(dataset: str) -> str:
    """Return a name that also tells apart sets of the SSL book and others.

    Examples
    --------
    >>> from ssrlpl.experiments.shown_names import full_name
    >>> full_name("book USPS"), full_name("USPS"), full_name("world moons")
    ('SSL book USPS', 'USPS', 'moons')
    """
    source, _, name = dataset.partition(" ")
    return {"book": f"SSL {dataset}", "world": name, "development": name}.get(source, dataset)
