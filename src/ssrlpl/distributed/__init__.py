"""Tables in chunks: larger than memory, or spread over a cluster with Dask.

Estimators take dask arrays and data frames, or :class:`Chunks`, in place of arrays and hand them
over to this package. A fit is two calls: map over chunks, merge in a fixed binary tree
(:mod:`ssrlpl.distributed.engine`); so the result is equal to the bit in one process, on one worker,
on many, and with workers lost on the way.
"""

from . import chunked_search as chunked_search  # registers its fit
from .chunks import Chunks, open_source, table_of
from .cluster import connected
from .engine import ClusterError, collected, each
from .fitting import fit
from .lazy import decision_function, predict, predict_proba, transform

__all__ = [
    "Chunks",
    "ClusterError",
    "collected",
    "connected",
    "decision_function",
    "each",
    "fit",
    "open_source",
    "predict",
    "predict_proba",
    "table_of",
    "transform",
]
