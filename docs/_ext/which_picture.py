"""The picture that leads from a question to a name of the library, drawn as SVG with links."""

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

CARDS = (
    ("The rows are in a file, and I write no code", (("ssrlpl fit", "cli"),)),
    ("Fill in the labels, without settings", (("SSRLPLCV", "ssrlpl.SSRLPLCV"),)),
    ("Columns are texts, dates, categories", (("TableTransformer", "ssrlpl.TableTransformer"),)),
    (
        "How many filled-in labels are right?",
        (("certify_labels", "ssrlpl.guarantee.certify_labels"),),
    ),
    ("I check rows and stop when it is enough", (("AuditTrail", "ssrlpl.guarantee.AuditTrail"),)),
    ("Which row should I label next?", (("label_next", "ssrlpl.label_next"),)),
    (
        "A step of my own pipeline",
        (("KernelSSRLPL", "ssrlpl.KernelSSRLPL"), ("SSRLPL", "ssrlpl.SSRLPL")),
    ),
    ("Which columns matter? A stream? Sparse?", (("SSRLPL", "ssrlpl.SSRLPL"),)),
    (
        "Only probabilities of labels",
        (("GraphLabeler", "ssrlpl.GraphLabeler"), ("KNNLabeler", "ssrlpl.KNNLabeler")),
    ),
    ("What did missing labels cost the map?", (("certify", "ssrlpl.certify"),)),
    ("A published method to compare with", (("HarmonicFunctions …", "ssrlpl.baselines"),)),
)
"""Questions, each with its answers: what is shown, and a name of the reference or a page."""

_WIDTH, _HEIGHT, _STEP = 410, 34, 76


class WhichPicture(SphinxDirective):
    """The directive; it takes nothing."""

    def run(self) -> list[nodes.Node]:
        """Return the picture as HTML."""
        half = -(-len(CARDS) // 2)
        columns = "".join(_column(cards) for cards in (CARDS[:half], CARDS[half:]))
        return [nodes.raw("", f'<div class="which">{columns}</div>', format="html")]


def _column(cards: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]) -> str:
    """Draw one column; two of them stand side by side where there is room."""
    drawn = "".join(_card(number, *card) for number, card in enumerate(cards))
    label = "Which name of the library answers which question; the table below says the same"
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_STEP * len(cards)}" role="img"'
        f' aria-label="{label}">{drawn}</svg>'
    )


def _card(number: int, question: str, answers: tuple[tuple[str, str], ...]) -> str:
    """Draw a question, and below it its answers, joined by a line."""
    top = number * _STEP + 2
    middle = top + _HEIGHT + 20
    drawn = [
        f'<rect class="question" x="1" y="{top}" width="400" height="{_HEIGHT}" rx="8"/>',
        f'<text x="14" y="{top + 22}">{escape(question)}</text>',
        f'<path d="M30 {top + _HEIGHT}V{middle}H52"/>',
    ]
    left = 54
    for text, target in answers:
        width = 9 * len(text) + 24
        drawn.append(
            f'<a href="{_address(target)}"><rect class="answer" x="{left}" y="{middle - 14}"'
            f' width="{width}" height="28" rx="14"/><text class="answer" x="{left + 12}"'
            f' y="{middle + 5}">{escape(text)}</text></a>'
        )
        left += width + 12
    return "".join(drawn)


def _address(target: str) -> str:
    if target == "ssrlpl.baselines":
        return "reference/index.html#published-methods-to-compare-with"
    return f"reference/generated/{target}.html" if "." in target else f"{target}.html"


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer the directive."""
    app.add_directive("which-picture", WhichPicture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
