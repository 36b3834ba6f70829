"""Read a built site in Chromium: no error in the console, no request to another host.

``python docs/_checks/browser.py build/site [pictures]`` opens every page wide, on a phone and dark,
says what went wrong, and with a second folder keeps a picture of each.
"""

import shutil
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

VIEWS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
}
PATIENCE = 300_000  # milliseconds a page; a busy machine is not an error of the page
TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
CUT_FORMULAS = (
    "() => [...document.querySelectorAll('div.math mjx-container')]"
    ".filter(formula => formula.scrollWidth > formula.clientWidth + 1).length"
)


def read(browser: Browser, site: Path, view: str, pictures: Path | None) -> list[str]:
    """Return what went wrong on any page in one view."""
    found: list[str] = []
    page = browser.new_context(**VIEWS[view]).new_page()
    page.set_default_timeout(PATIENCE)
    page.on("console", lambda said: said.type == "error" and found.append(f"{name}: {said.text}"))
    page.on("pageerror", lambda error: found.append(f"{name}: {error}"))
    page.on(
        "request",
        lambda asked: asked.url.startswith("http") and found.append(f"{name} asks {asked.url}"),
    )
    for path in sorted(site.rglob("*.html")):
        name = f"{view} {path.relative_to(site)}"
        if "_static" in path.parts:
            continue
        page.goto(path.as_uri(), wait_until="load")
        page.wait_for_function(
            "() => !document.querySelector('script[src*=mathjax]') || (window.MathJax"
            " && MathJax.startup && MathJax.startup.promise && MathJax.startup.promise.then)"
        )
        page.evaluate("() => window.MathJax && MathJax.startup ? MathJax.startup.promise : null")
        if page.query_selector("mjx-container [data-mml-node=merror]"):
            found.append(f"{name}: a formula that MathJax cannot read")
        if (pixels := page.evaluate(TOO_WIDE)) > 1:
            found.append(f"{name}: {pixels} pixels wider than the window")
        if view != "phone" and page.evaluate(CUT_FORMULAS):
            found.append(f"{name}: a formula that is wider than its column")
        if pictures is not None:
            picture = pictures / view / path.relative_to(site).with_suffix(".png")
            picture.parent.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=picture, full_page=True)
    return found


if __name__ == "__main__":
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        sys.exit("Chromium is not installed (Debian: apt-get install chromium).")
    site = Path(sys.argv[1]).resolve()
    pictures = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        found = [line for view in VIEWS for line in read(browser, site, view, pictures)]
        browser.close()
    if found:
        sys.exit("\n".join(found))
    print(f"No page has an error, asks another host or is too wide: {', '.join(VIEWS)}.")
