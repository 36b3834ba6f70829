"""Whether the unlabeled rows help: two errors on the same labeled rows."""

from __future__ import annotations

from typing import Any

from .text import count, figure, is_number, percent, plural


def comparison(found: dict[str, Any], measure: str, test: str) -> str:
    """Return both errors as bars, and how often only one side is wrong."""
    errors = (
        ("without the unlabeled rows", found["without_unlabeled"]),
        ("with the unlabeled rows", found["with_unlabeled"]),
    )
    reach = max([e for _, e in errors if is_number(e)] or [0.0]) or 1.0
    bars = "".join(
        f'<li><span class="name whole">{name}</span><span class="track whole"><span class="plus"'
        f' style="width:{100 * error / reach if is_number(error) else 0:.1f}%"></span></span>'
        f'<span class="weight">{percent(error)}</span></li>'
        for name, error in errors
    )
    return (
        f"<h3>Do the unlabeled rows help?</h3><p>{measure}, {count(found['trials'])} labeled"
        f' rows:</p><ol class="bars">{bars}</ol><p>Wrong only without them:'
        f" {plural(found['only_without'], 'row')}; only with them:"
        f" {plural(found['only_with'], 'row')} ({test}, p = {figure(found['p_value'])}).</p>"
    )
