"""Check a built site: every link inside leads somewhere, and nothing is loaded from another host.

``python docs/_checks/links.py build/site``; ends with an error that lists what is wrong.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
_CSS_LOAD = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])(https?:)?//", re.I)


class Page(HTMLParser):
    """Where a page can be entered, where it leads, and what it loads."""

    def __init__(self, path: Path):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names, loads or leads to."""
        given = {name: value for name, value in attrs if value}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        target = given.get(_LOADS.get(tag, ""))
        is_metadata = tag == "link" and given.get("rel") in ("search", "index", "next", "prev")
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif target and not is_metadata:
            self.loads.append(target)


def problems(site: Path) -> list[str]:
    """Return a sentence for each broken link and each thing loaded from elsewhere."""
    pages = {
        path: Page(path)
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts  # the theme leaves a template there
    }
    found = [
        f"{path.relative_to(site)} loads {load} from elsewhere"
        for path, page in pages.items()
        for load in page.loads
        if urlsplit(load).netloc
    ]
    found += [
        f"{path.relative_to(site)} leads to {link}, which does not exist"
        for path, page in pages.items()
        for link in (*page.links, *page.loads)
        if not leads_somewhere(link, path, pages)
    ]
    found += [
        f"{style.relative_to(site)} loads something from elsewhere"
        for style in sorted(site.rglob("*.css"))
        if _CSS_LOAD.search(style.read_text(encoding="utf-8"))
    ]
    return found


def leads_somewhere(link: str, path: Path, pages: dict[Path, Page]) -> bool:
    """Return whether a link is to another host, to a file, or to a place that its page has."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if parts.fragment and target in pages:
        return unquote(parts.fragment) in pages[target].anchors
    return target.is_file()


if __name__ == "__main__":
    site = Path(sys.argv[1]).resolve()
    if found := problems(site):
        sys.exit("\n".join(found))
    print("Every link inside leads somewhere, and nothing is loaded from elsewhere.")
