"""What the code printed and drew is kept until the code changes, and not longer.

Sphinx and its gallery keep pages and examples that did not change themselves. Here the package
and the look of figures count too: if one is another than at the last build, everything runs again.
"""

import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

ROOT = Path(__file__).parents[2]


def forget_old_examples(app: Sphinx, config: Config) -> None:
    """Remove the gallery of another version of the package, or of another look."""
    digest = sha256()
    look = Path(__file__).with_name("figure_look.py")
    for path in [look, *sorted((ROOT / "src" / "ssrlpl").rglob("*.py"))]:
        digest.update(path.read_bytes())
    gallery = Path(app.srcdir, "gallery")
    mark = gallery / "made_by_code"
    if mark.exists() and mark.read_text() == digest.hexdigest():
        return
    shutil.rmtree(gallery, ignore_errors=True)
    gallery.mkdir()
    mark.write_text(digest.hexdigest())


def pages_of_old_code(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Return the pages to be read again: all of them, if the package is another one."""
    mark = Path(app.srcdir, "gallery", "made_by_code").read_text()
    same = getattr(env, "made_by_code", None) == mark
    env.made_by_code = mark  # kept with the pages
    return [] if same else sorted(env.found_docs - added)


def setup(app: Sphinx) -> dict[str, Any]:
    """Run before the gallery does."""
    app.connect("config-inited", forget_old_examples)
    app.connect("env-get-outdated", pages_of_old_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
