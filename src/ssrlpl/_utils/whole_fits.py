"""A fit that is stopped leaves the estimator as it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def whole_or_not(fit: Method) -> Method:
    """Restore the attributes of an estimator if its fit raises an error, also by Ctrl-C.

    Otherwise an estimator that was stopped halfway would look fitted, with some attributes of the
    new fit and some of an earlier one.
    """

    @wraps(fit)
    def either(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Method, either)
