"""Every public name with nothing but the core: its example runs, or names the missing extra.

``python .ci/core_names.py``, with a Python that has no extra of ssrlpl.
"""

import doctest
import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "_ext"))
from public_names import listed_names  # only now it can be found

_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def complaint(module: str, name: str) -> str | None:
    """Return the sentence that names a missing extra, None if all works, or raise."""
    thing = getattr(import_module(module), name)
    for test in doctest.DocTestFinder(recurse=False).find(thing, f"{module}.{name}", globs={}):
        try:
            doctest.DebugRunner(optionflags=_FLAGS).run(test)
        except doctest.UnexpectedException as failure:
            error = failure.exc_info[1]
            if isinstance(error, ImportError) and "pip install 'ssrlpl[" in str(error):
                return str(error)
            raise error from None
    return None


if __name__ == "__main__":
    names = listed_names()
    said = {name: sentence for m, name in names if (sentence := complaint(m, name))}
    for name, sentence in said.items():
        print(f"{name}: {sentence}")
    print(f"With the core alone {len(names) - len(said)} of {len(names)} public names work.")
