"""Headless Chromium for the tests of pages: playwright drives the one that is installed."""

import shutil
from contextlib import contextmanager

import pytest

EXECUTABLE = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(
    EXECUTABLE is None, reason="Chromium is not installed (Debian: apt-get install chromium)"
)
TIMEOUT = 120_000  # milliseconds for one step; software rendering on a busy machine is slow
_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextmanager
def launch():
    """Start the browser, never download one."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=EXECUTABLE, args=_FLAGS, timeout=TIMEOUT
        )  # fmt: skip
        yield browser
        browser.close()
