"""
A table on a cluster
====================

Dask arrays go where arrays go. Each worker sums its own rows, and the sums are merged in a fixed
order, so that one worker, many, and some lost on the way give the same bits. Here the cluster is
two workers of this process; ``Client("scheduler:8786")`` would be a room full of machines.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client
from sklearn.datasets import load_digits

from ssrlpl import SSRLPL
from ssrlpl.datasets import hide_labels
from ssrlpl.plotting import plot_representation

X, truth = load_digits(return_X_y=True)
y = hide_labels(truth, keep=200, random_state=0)
chunked = da.from_array(X, chunks=(300, 64))  # six chunks; in practice read_parquet or from_zarr

with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0"):
    model = SSRLPL().fit(chunked, y)
    mapped = model.transform(chunked)  # lazy: nothing has been computed yet
    print(mapped)
    Z = mapped.compute()

# %%
# The same map as from the array in memory, up to rounding errors:

here = SSRLPL().fit(X, y)
print(f"largest difference: {np.abs(model.components_ - here.components_).max():.0e}")

figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
plot_representation(Z, y, colored_by=truth, ax=ax, title="fitted on two workers")
