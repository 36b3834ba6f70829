"""What every public fit has: it is whole or not at all, and tells how far it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from .progress import Progress

Method = TypeVar("Method", bound=Callable[..., Any])


def whole_or_not(fit: Method) -> Method:
    """Restore the attributes of an estimator if its fit raises an error, also by Ctrl-C.

    Otherwise an estimator that was stopped halfway would look fitted, with some attributes of the
    new fit and some of an earlier one. What the fit counts inside is its progress, but for the last
    hundredth, which comes with its end.
    """

    @wraps(fit)
    def either(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        name, verbose = type(self).__name__, getattr(self, "verbose", False)
        try:
            with Progress(name, 1.0, verbose=verbose, inside=0.99):
                return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Method, either)
