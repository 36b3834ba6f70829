"""How far a piece of work is: a bar on stderr, and a call to whoever asked to be told."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from types import TracebackType

PATIENCE_SECONDS = 2.0
_REDRAW_SECONDS = 0.2

_listener: ContextVar[Callable[[str, float], object] | None] = ContextVar("listener", default=None)
_outer: ContextVar[Progress | None] = ContextVar("outer", default=None)


@contextmanager
def on_progress(function: Callable[[str, float], object]) -> Iterator[None]:
    """Call a function while fits go on, with what is being done and the share of it that is done.

    Everything that takes long tells it: fits of all estimators, in memory, in chunks and with
    dask, also inside pipelines and grids, :func:`loo_predict`, :func:`hsic` and :func:`hsic_test`.
    The share begins with 0, never falls, and is 1 when the work has ended.

    The function is called in the thread that called ``fit``, between two steps of the work, so it
    may draw on a screen. Whatever error it raises ends the fit, and the estimator stays as it was
    before. Other threads and processes, such as those of a grid with ``n_jobs``, tell nothing.

    Parameters
    ----------
    function : callable
        Is called as ``function(task, share)``: the name of an estimator or function, and a float
        from 0 to 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ssrlpl import KernelSSRLPL, on_progress
    >>> X, y = load_iris(return_X_y=True)
    >>> shares = []
    >>> with on_progress(lambda task, share: shares.append(share)):
    ...     model = KernelSSRLPL().fit(X, y)
    >>> shares[0], shares[-1]
    (0.0, 1.0)

    An error ends the fit, here one after an hour:

    >>> import time
    >>> start = time.monotonic()
    >>> def for_an_hour(task, share):
    ...     if time.monotonic() - start > 3600:
    ...         raise TimeoutError(f"{task} was {share:.0%} done")
    >>> with on_progress(for_an_hour):
    ...     model = KernelSSRLPL().fit(X, y)
    """
    before = _listener.set(function)
    try:
        yield
    finally:
        _listener.reset(before)


class Progress:
    """Count steps of work; tell the listener of :func:`on_progress`, show a bar if ``verbose``.

    Only the outermost one does that. Within it, others count for ``inside`` of its steps each,
    by default for none. One that is a part of something larger, whatever calls it, has no
    ``verbose`` and tells nobody else. No bar is shown for work that ends within two seconds.
    """

    def __init__(
        self, label: str, total: float, *, verbose: bool | None = None, inside: float = 0.0
    ):
        self._label = label
        self._total = total
        self._verbose = verbose
        self._inside = inside
        self._done = 0.0
        self._start = time.monotonic()
        self._drawn = 0.0

    def __enter__(self) -> Progress:
        self._around = _outer.get()
        self._before = _outer.set(self)
        try:
            self._show()
        except BaseException:
            _outer.reset(self._before)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None and self._done < self._total:
                self.advance(self._total)
        finally:
            _outer.reset(self._before)
            if self._drawn:
                sys.stderr.write("\n" if kind is None else " stopped\n")
                sys.stderr.flush()

    @property
    def is_followed(self) -> bool:
        """Whether anybody learns of the steps."""
        if self._around is not None:
            return self._around._inside > 0 and self._around.is_followed
        return self._verbose is not None and (self._verbose or _listener.get() is not None)

    def advance(self, steps: float = 1) -> None:
        """Count finished steps; those beyond the total do not count."""
        before = self._share
        self._done = min(self._done + steps, self._total)
        if self._around is not None and self._around._inside:
            self._around.advance(self._around._inside * (self._share - before))
        self._show()

    @property
    def _share(self) -> float:
        return self._done / self._total if self._total else 0.0

    def _show(self) -> None:
        if self._around is not None or self._verbose is None:
            return
        share = self._share
        listener = _listener.get()
        if listener is not None:
            apart = copy_context()  # a fit that the listener makes itself is no part of this one
            apart.run(_listener.set, None)
            apart.run(_outer.set, None)
            apart.run(listener, self._label, share)
        now = time.monotonic()
        elapsed = now - self._start
        if not self._verbose or elapsed < PATIENCE_SECONDS or not share:
            return
        if now - self._drawn >= _REDRAW_SECONDS or share == 1:
            self._draw(share, elapsed)
            self._drawn = now

    def _draw(self, share: float, elapsed: float) -> None:
        left = elapsed / share - elapsed
        bar = "#" * round(20 * share)
        sys.stderr.write(f"\r{self._label} [{bar:<20}] {share:4.0%}, {left:.0f} s left ")
        sys.stderr.flush()
