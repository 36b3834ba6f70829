"""A number stays on one line with its percent sign or its ±, also in narrow columns of a table."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform


class KeepNumbers(SphinxPostTransform):
    """Put spaces that do not break before percent signs and around ±, except in code."""

    default_priority = 900  # after references became text

    def run(self, **_: Any) -> None:
        """Change the texts of one page."""
        for text in list(self.document.findall(nodes.Text)):
            if not isinstance(text.parent, nodes.literal | nodes.literal_block | nodes.math):
                kept = re.sub(r"(?<=\d) (?=[%±])|(?<=±) (?=\d)", "\N{NO-BREAK SPACE}", text)
                if kept != text:
                    text.parent.replace(text, nodes.Text(kept))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register it."""
    app.add_post_transform(KeepNumbers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
