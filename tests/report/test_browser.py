"""The report in a browser: the plot draws, hover works, the console stays silent."""

import os
from pathlib import Path

import numpy as np
import pytest
from matplotlib.pyplot import imread

from chromium import Browser, executable
from report_samples import digits, invented, nasty
from ssrlpl.report import render_report

pytestmark = pytest.mark.skipif(
    executable() is None, reason="Chromium is not installed (Debian: apt-get install chromium)"
)

WIDE, NARROW = {"width": 1400, "height": 1000}, {"width": 390, "height": 844, "mobile": True}
# Set to a folder to keep the screenshots and look at them.
PICTURES = os.environ.get("SSRLPL_SCREENSHOTS")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = Path(PICTURES) if PICTURES else tmp_path_factory.mktemp("pages")
    folder.mkdir(parents=True, exist_ok=True)
    samples = {
        "digits": digits(n_rows=400, n_labels=120),
        "nasty": nasty(),
        "strip": invented(n_components=1, names=("yes", "<b>no</b>")),
        "flat": invented(n_components=2),
        "large": invented(20_000, 9, tuple(f"class {i}" for i in range(24))),
    }
    for name, sample in samples.items():
        (folder / f"{name}.html").write_text(render_report(*sample), encoding="utf-8")
    return folder


# Where plotly draws the rightmost labeled row of the last class, and which row that is.
LABELED_POINT = """(() => {
  const plot = document.querySelector("#plot-2d"), layout = plot._fullLayout;
  plot.scrollIntoView({block: "center", behavior: "instant"});
  const trace = plot.data.filter((t) => t.hoverinfo === "none").at(-1);
  const box = plot.getBoundingClientRect(), i = trace.x.indexOf(Math.max(...trace.x));
  return [box.left + layout.xaxis._offset + layout.xaxis.d2p(trace.x[i]),
          box.top + layout.yaxis._offset + layout.yaxis.d2p(trace.y[i]), trace.customdata[i]];
})()"""

# Pixels of the canvases of a plot that hold some paint.
PAINTED = """((id) => [...document.querySelectorAll(id + " canvas")].map((canvas) => {
  const copy = document.createElement("canvas");
  copy.width = canvas.width; copy.height = canvas.height;
  const pen = copy.getContext("2d");
  pen.drawImage(canvas, 0, 0);
  const pixels = pen.getImageData(0, 0, copy.width, copy.height).data;
  return pixels.filter((value, i) => i % 4 === 3 && value > 0).length;
}).reduce((a, b) => a + b, 0))"""


def colored_pixels(path):
    """Count what is not gray: a 3-D canvas cannot be read, what the screen shows can."""
    picture = imread(path)[..., :3]
    return int(np.count_nonzero(np.ptp(picture, axis=2) > 0.2))


@pytest.mark.parametrize("window", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_plot_draws_and_fits_the_window(browser, pages, window, theme):
    browser.open(pages / "digits.html", theme=theme, **window)
    assert browser.run(f"{PAINTED}('#plot-2d')") > 1000
    assert browser.run("document.documentElement.dataset.theme") == theme
    assert browser.run("document.documentElement.scrollWidth") == window["width"]
    assert browser.errors == []
    name = f"{'narrow' if window is NARROW else 'wide'}-{theme}"
    browser.screenshot(pages / f"{name}.png", whole=True)
    assert (pages / f"{name}.png").stat().st_size > 20_000


def test_hover_shows_the_row(browser, pages):
    browser.open(pages / "digits.html", **WIDE)
    x, y, row = browser.run(LABELED_POINT)
    browser.move_mouse(x, y)
    browser.wait("!document.querySelector('#card').hidden")
    shown = browser.run("document.querySelector('#card').innerText")
    assert shown.startswith(f"row {row}\n")
    assert "(given)" in shown
    assert "mean ink" in shown
    browser.screenshot(pages / "hover.png")
    browser.move_mouse(5, 5)
    browser.wait("document.querySelector('#card').hidden")
    assert browser.errors == []


def test_third_dimension_draws_on_demand(browser, pages):
    browser.open(pages / "digits.html", **WIDE)
    assert browser.run("document.querySelectorAll('#plot-3d canvas').length") == 0
    browser.click('[data-view="3d"]')
    browser.wait("document.documentElement.dataset.drawn === '3d'")
    browser.run("document.querySelector('.stage').scrollIntoView({block: 'center'})")
    browser.screenshot(pages / "third.png")
    assert colored_pixels(pages / "third.png") > 1000
    assert browser.errors == []


def test_nothing_is_asked_of_the_network(browser, pages):
    browser.open(pages / "digits.html", **WIDE)
    asked = [url for url in browser.requests if not url.startswith(("file:", "data:", "blob:"))]
    assert asked == []
    buttons = browser.run(
        "[...document.querySelectorAll('.modebar-btn')].map((b) => b.dataset.title).join()"
    )
    assert "Zoom" in buttons
    assert "loud" not in buttons  # plotly's button that sends the data away


def test_choices_change_the_plot(browser, pages):
    browser.open(pages / "digits.html", **WIDE)
    plot = "document.querySelector('#plot-2d')"
    browser.click('[data-color="sure"]')
    browser.wait(f"{plot}.data.every((t) => t.marker.color.startsWith('rgb('))")
    assert browser.run("getComputedStyle(document.querySelector('.scale')).display") != "none"
    browser.click('[data-color="label"]')
    browser.wait(f"{plot}.data.every((t) => t.marker.color.startsWith('#'))")
    browser.click('[data-class="3"]')
    browser.wait(f"!{plot}.data.some((t) => t.name === '3')")
    assert browser.run(f"new Set({plot}.data.map((t) => t.name)).size") == 9
    browser.run(
        "(() => { const s = document.querySelector('[data-axis=x]'); s.value = 4;"
        " s.dispatchEvent(new Event('change')); })()"
    )
    browser.wait(f"{plot}.layout.xaxis.title.text === 'component 5'")
    browser.click("#theme")
    browser.wait("document.documentElement.dataset.theme === 'dark'")
    assert browser.errors == []


def test_doubtful_row_is_ringed(browser, pages):
    browser.open(pages / "digits.html", **WIDE)
    browser.click("[data-point]")
    browser.wait("document.querySelector('#picked').textContent")
    row = browser.run("document.querySelector('.doubtful td').textContent")
    assert f"row {row}," in browser.run("document.querySelector('#picked').textContent")
    last = "document.querySelector('#plot-2d').data.at(-1).marker.symbol"
    assert browser.run(last) == "circle-open"


def test_nasty_strings_do_nothing(browser, pages):
    browser.open(pages / "nasty.html", **WIDE)
    x, y, _ = browser.run(LABELED_POINT)
    browser.move_mouse(x, y)
    browser.wait("!document.querySelector('#card').hidden")
    assert "<" in browser.run("document.querySelector('#card').innerText")
    assert browser.run("document.querySelectorAll('#card img, #card script, #card a').length") == 0
    browser.click('[data-view="3d"]')
    browser.wait("document.documentElement.dataset.drawn === '3d'")
    assert browser.run("document.title") != "owned"
    assert browser.run("document.documentElement.scrollWidth") == WIDE["width"]
    assert browser.errors == []


@pytest.mark.parametrize("name", ["strip", "flat"])
def test_fewer_components_draw_too(browser, pages, name):
    browser.open(pages / f"{name}.html", **WIDE)
    assert browser.run(f"{PAINTED}('#plot-2d')") > 300
    ticks = browser.run("document.querySelector('#plot-2d').textContent")
    assert ("<b>no</b>" in ticks) == (name == "strip")
    assert browser.errors == []


def test_twenty_thousand_points_draw_and_answer(browser, pages):
    browser.open(pages / "large.html", **WIDE)
    drawn = "document.querySelector('#plot-2d').data.reduce((n, t) => n + t.x.length, 0)"
    assert browser.run(drawn) == 20_000
    x, y, _ = browser.run(LABELED_POINT)
    browser.move_mouse(x, y)
    browser.wait("!document.querySelector('#card').hidden")
    assert browser.errors == []


def test_print_is_light_and_unfolded(browser, pages):
    browser.open(pages / "digits.html", theme="dark", **WIDE)
    browser.run(
        "addEventListener('beforeprint', () => { window.printed = [document.documentElement"
        ".dataset.theme, document.querySelectorAll('details:not([open])').length]; })"
    )
    browser.print_pdf(pages / "digits.pdf")
    assert browser.run("window.printed") == ["light", 0]
    assert (pages / "digits.pdf").read_bytes().startswith(b"%PDF")
    browser.wait("document.documentElement.dataset.theme === 'dark'")
    assert browser.errors == []
