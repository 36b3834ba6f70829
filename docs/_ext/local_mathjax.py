"""MathJax from a Python package, so that formulas need no network when the site is read.

One file draws every formula as SVG. It comes with ``sphinx-mathjax-offline``, which pip installs as
it does everything else the build needs; its bytes are those of the npm package mathjax 3.2.2.
"""

import shutil
from hashlib import sha256
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

FILE = "tex-svg-full.js"  # with all of TeX's extensions: it fetches none of them when it is read
CHECKSUM = "a4354ff94fd868aea0cc6eaaa79a57fda0588646fc46ee3700a349ee0a11cbe6"


def setup(app: Sphinx) -> dict[str, Any]:
    """Point Sphinx at the local file, and copy it when the pages are written."""
    app.config.mathjax_path = f"mathjax/{FILE}"
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def copy_mathjax(app: Sphinx, failure: Exception | None) -> None:
    """Copy the file into the site; refuse one that is not the file we know."""
    if failure is not None or app.builder.format != "html":
        return
    package = "sphinx-mathjax-offline"
    source = Path(str(distribution(package).locate_file(f"{package}/static/mathjax/{FILE}")))
    if sha256(source.read_bytes()).hexdigest() != CHECKSUM:
        raise ExtensionError(f"{source} is not that of MathJax 3.2.2: install {package} 0.0.2.")
    target = Path(app.outdir, "_static", "mathjax", FILE)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
