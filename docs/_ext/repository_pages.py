"""Pages that live elsewhere in the repository, and links between any two of its files.

A file such as ``CHANGELOG.md`` or ``results/league.md`` is a page of the site too. Its links are
those that work on GitHub, relative to where the file is; here each of them becomes a link to the
page of the site, or to the file on GitHub where the site has no such page.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
ON_GITHUB = "https://github.com/ssrlpl/ssrlpl/blob/main/"
PROJECT = {
    "ARCHITECTURE.md": "project/architecture",
    "CHANGELOG.md": "project/changelog",
    "CODE_OF_CONDUCT.md": "project/code_of_conduct",
    "CONTRIBUTING.md": "project/contributing",
    "RELEASING.md": "project/releasing",
    "SECURITY.md": "project/security",
    "benchmarks/README.md": "results/speed",
    "results/README.md": "results/paper",
    "README.md": "index",
}
_LINK = re.compile(r"(?P<open>\]\()(?P<target>[^)\s#:]+)(?P<anchor>#[^)\s]*)?(?=\))")
_CODE = re.compile(r"^(```.*?^```)", re.S | re.M)


def pages() -> dict[str, str]:
    """Return the name in the site of each file of the repository that is a page of it."""
    results = {
        f"results/{path.name}": f"results/{path.stem}"
        for path in (ROOT / "results").glob("*.md")
        if path.name != "README.md"
    }
    docs = {f"docs/{path.name}": path.stem for path in (ROOT / "docs").glob("*.md")}
    return PROJECT | results | docs


def write_pages(app: Sphinx) -> None:
    """Write the pages whose files are outside of ``docs/``; unchanged ones keep their time."""
    known = pages()
    for room in ("project", "results"):
        for page in Path(app.srcdir, room).glob("*.md"):
            if f"{room}/{page.stem}" not in known.values() and page.stem != "index":
                page.unlink()  # of a file that is gone
    for file, name in known.items():
        if file.startswith("docs/") or file == "README.md":
            continue
        text = relinked((ROOT / file).read_text(encoding="utf-8"), file, name)
        page = Path(app.srcdir, f"{name}.md")
        page.parent.mkdir(exist_ok=True)
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def relink_page(app: Sphinx, name: str, source: list[str]) -> None:
    """Mend the links of a page that is itself in ``docs/``."""
    if f"docs/{name}.md" in pages():
        source[0] = relinked(source[0], f"docs/{name}.md", name)


def relinked(text: str, file: str, name: str) -> str:
    """Return a page's text with the links of ``file`` turned into links of the page ``name``."""
    parts = _CODE.split(text)
    parts[::2] = [_LINK.sub(_linker(file, name), part) for part in parts[::2]]
    return "".join(parts)


def _linker(file: str, name: str) -> Callable[[re.Match[str]], str]:
    known = pages()
    here = Path("docs", name).parent.as_posix()

    def link(match: re.Match[str]) -> str:
        target = os.path.normpath(Path(file).parent / match["target"])
        if target in known:
            target = os.path.relpath(f"docs/{known[target]}.md", here)
        elif target.endswith((".png", ".svg", ".csv", ".tex")) or target.startswith("docs/"):
            target = os.path.relpath(target, here)
        else:
            target = ON_GITHUB + target
        return match["open"] + target + (match["anchor"] or "")

    return link


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before Sphinx looks for them, and mend the links of the others as read."""
    app.connect("builder-inited", write_pages, priority=100)
    app.connect("source-read", relink_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
