"""The reference: which members a class shows, the theory of each name, links to names in texts."""

import inspect
import re
from typing import Any

from docutils import nodes
from public_names import listed_names, text_below, theory_of
from sphinx import addnodes
from sphinx.application import Sphinx

from ssrlpl.guarantee import LabelsNeeded

BETWEEN_ROOMS = {
    "check_rows", "choice_scores", "chosen_labeler", "chunk_sums", "compared_in_words",
    "end_chunks", "fit_checked", "fit_evidence", "fit_parts", "fit_scores", "fit_without",
    "follows_from_labels", "get_metadata_routing", "is_local", "judge", "kernel_on",
    "label_scores", "labeled_rows", "labels_without", "learns_from_labeled", "loo_codes",
    "loo_scores", "new_evidence", "of_fitted",
    "products", "refit", "relabeler", "represent", "sample_for_chunks", "scores_of_checked",
    "solve_sums", "spans_labels", "start_chunks",
}  # fmt: skip
"""Methods with which packages ask each other (ARCHITECTURE.md); users do not call them."""

TUPLE_FIELD = type(LabelsNeeded.low)
"""How Python keeps a field of a named tuple: it has no words of its own."""


def add_theory(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """End the text of a public name with the page that explains it."""
    if what == "data":
        lines[:0] = text_below(*name.rsplit(".", 1)).splitlines()
    elif what not in ("class", "function", "exception"):
        return
    page, title = theory_of(name if what == "data" else thing.__module__)
    lines += ["", ".. rubric:: Theory", "", f":doc:`{title} </{page}>`"]
    if what == "class" and any(
        not member.startswith("_") and not is_hidden(member, value)
        for member, value in inspect.getmembers_static(thing)
    ):
        lines += ["", ".. rubric:: Methods"]


def is_hidden(name: str, member: Any) -> bool:
    """Tell whether scikit-learn or Python wrote a member, or only our packages call it."""
    written_by = getattr(inspect.unwrap(member), "__module__", None) if callable(member) else None
    foreign = written_by and not written_by.startswith("ssrlpl")
    of_a_tuple = getattr(member, "__objclass__", None) is tuple or isinstance(member, TUPLE_FIELD)
    return bool(foreign) or of_a_tuple or name in BETWEEN_ROOMS


def skip_hidden(
    app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what a user does not call."""
    return True if is_hidden(name, member) else None


def link_names(app: Sphinx, page: nodes.document) -> None:
    """Turn a public name that a text sets in code letters into a link to its page."""
    if app.env.docname.startswith("reference/"):
        return
    places = {}
    for module, name in listed_names():
        places[f"{module}.{name}"] = f"{module}.{name}"
        if not re.fullmatch("[a-z]+", name):  # words such as "read" may mean something else
            places[name] = f"{module}.{name}"
    if app.env.docname in ("reproduction", "results/paper"):
        del places["label_next"]  # there it is the name of a study
    for literal in list(page.findall(nodes.literal)):
        target = places.get(literal.astext())
        if target is None or isinstance(literal.parent, nodes.reference | nodes.title | nodes.term):
            continue
        literal.replace_self(
            addnodes.pending_xref(
                "", literal.deepcopy(), refdoc=app.env.docname, refdomain="py", reftype="obj",
                reftarget=target, refexplicit=True, refwarn=True,
            )
        )  # fmt: skip


def link_pages(app: Sphinx, page: nodes.document) -> None:
    """Turn the name of one of our pages, as docstrings write it, into a link to it."""
    for literal in list(page.findall(nodes.literal)):
        match = re.fullmatch(r"docs/(\w+)\.md", literal.astext())
        if match is None or isinstance(literal.parent, nodes.reference | nodes.title):
            continue
        literal.replace_self(
            addnodes.pending_xref(
                "", literal.deepcopy(), refdoc=app.env.docname, refdomain="std", reftype="doc",
                reftarget=f"/{match[1]}", refexplicit=True, refwarn=True,
            )
        )  # fmt: skip


def setup(app: Sphinx) -> dict[str, Any]:
    """Run after numpydoc, which rewrites docstrings at the default priority."""
    app.connect("autodoc-process-docstring", add_theory, priority=900)
    app.connect("autodoc-skip-member", skip_hidden)
    app.connect("doctree-read", link_names)
    app.connect("doctree-read", link_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
