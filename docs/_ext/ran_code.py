"""Code that is run when the site is built, shown above what it printed.

::

    ```{ran} python
    print(1 + 1)
    ```

``python`` blocks of a page share their names, as in a notebook; each line of a ``sh`` block is one
command. Both work in an empty folder that the blocks of a page share. Code that fails stops the
build, so that no page shows what does not run, or a number that the code does not print.
"""

import ast
import io
import os
import subprocess
import sys
import tempfile
import warnings
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Ran(SphinxDirective):
    """The directive: its argument is the language, its content the code."""

    has_content = True
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Run the code, and return it with its output."""
        page = self.env.temp_data.setdefault("ran", {})
        if not page:
            page.update(folder=tempfile.TemporaryDirectory(), names={"__name__": "page"})
        folder = Path(page["folder"].name)
        if self.arguments[0] == "sh":
            return [_block(_commands(self.content, folder), "console")]
        code = "\n".join(self.content)
        output = _python(code, page["names"], folder)
        return [_block(code, "python"), *([_block(output, "none", "ran-output")] if output else [])]


def _block(text: str, language: str, *classes: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language, classes=list(classes))


def _commands(lines: Any, folder: Path) -> str:
    """Run each line as a person would in a terminal."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shown = []
    for line in lines:
        ended = subprocess.run(
            line, shell=True, check=False, cwd=folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "PATH": path},
        )  # fmt: skip
        if ended.returncode:
            raise RuntimeError(f"{line}\n{ended.stdout}")
        shown += [f"$ {line}", ended.stdout.rstrip()]
    return "\n".join(filter(None, shown))


def _python(code: str, names: dict[str, Any], folder: Path) -> str:
    """Return what the code prints, and the value of a last line that is an expression."""
    *body, last = ast.parse(code).body
    printed = io.StringIO()
    with redirect_stdout(printed), chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("error")
        if not isinstance(last, ast.Expr):
            exec(code, names)
        else:
            exec(compile(ast.Module(body, []), "page", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "page", "eval"), names)
            if value is not None:
                print(repr(value))
    return printed.getvalue().rstrip()


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer the directive."""
    app.add_directive("ran", Ran)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
