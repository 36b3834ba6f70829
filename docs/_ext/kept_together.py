"""A number and its percent sign stay on one line, also in the narrow columns of a table."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform


class KeepPercents(SphinxPostTransform):
    """Put a space that does not break before each percent sign, except in code."""

    default_priority = 900  # after references became text

    def run(self, **_: Any) -> None:
        """Change the texts of one page."""
        for text in list(self.document.findall(nodes.Text)):
            if not isinstance(text.parent, nodes.literal | nodes.literal_block | nodes.math):
                kept = re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", text)
                if kept != text:
                    text.parent.replace(text, nodes.Text(kept))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register it."""
    app.add_post_transform(KeepPercents)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
