"""The report in a browser: the plot draws, hover works, the console stays silent."""

import os
from pathlib import Path

import numpy as np
import pytest
from matplotlib.pyplot import imread

from chromium import TIMEOUT, launch, needs_chromium
from report_samples import digits, invented, left_out, nasty, with_lists
from ssrlpl.report import render_report

pytestmark = needs_chromium

WIDE, NARROW = {"width": 1400, "height": 1000}, {"width": 390, "height": 844}
# Set to a folder to keep the screenshots and look at them.
PICTURES = os.environ.get("SSRLPL_SCREENSHOTS")


@pytest.fixture(scope="module")
def browser():
    with launch() as browser:
        yield browser


def listed(summary, arrays):
    return with_lists(summary, arrays), left_out(arrays)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = Path(PICTURES) if PICTURES else tmp_path_factory.mktemp("pages")
    folder.mkdir(parents=True, exist_ok=True)
    samples = {
        "digits": digits(n_rows=400, n_labels=120),
        "nasty": nasty(),
        "strip": invented(n_components=1, names=("yes", "<b>no</b>")),
        "flat": invented(n_components=2),
        "contested": listed(*invented(n_components=3)),
        "large": invented(20_000, 9, tuple(f"class {i}" for i in range(24))),
    }
    for name, sample in samples.items():
        (folder / f"{name}.html").write_text(render_report(*sample), encoding="utf-8")
    return folder


@pytest.fixture
def show(browser, pages):
    """Open a page and wait for its plot; no test may end with an error or a request."""
    errors, asked = [], []

    def show(name, window=WIDE, theme="light"):
        context = browser.new_context(
            viewport=window, color_scheme=theme, is_mobile=window is NARROW
        )  # fmt: skip
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: asked.append(request.url))
        page.goto((pages / f"{name}.html").as_uri())
        page.wait_for_function("document.documentElement.dataset.drawn === '2d'")
        return page

    yield show
    for context in browser.contexts:
        context.close()
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


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


def point_at(page):
    """Put the mouse on a labeled row, wait for its card, and return which row it is."""
    x, y, row = page.evaluate(LABELED_POINT)
    for step in (3, 0):  # plotly looks at movements
        page.mouse.move(x - step, y)
    page.locator("#card").wait_for(state="visible")
    return row


@pytest.mark.parametrize("window", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_plot_draws_and_fits_the_window(show, pages, window, theme):
    page = show("digits", window, theme)
    assert page.evaluate(f"{PAINTED}('#plot-2d')") > 1000
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    assert page.evaluate("document.documentElement.scrollWidth") == window["width"]
    picture = pages / f"{'narrow' if window is NARROW else 'wide'}-{theme}.png"
    page.screenshot(path=picture, full_page=True)
    assert picture.stat().st_size > 20_000


def test_hover_shows_the_row(show, pages):
    page = show("digits")
    row = point_at(page)
    shown = page.inner_text("#card")
    assert shown.startswith(f"row {row}\n")
    assert "(given)" in shown
    assert "mean ink" in shown
    page.screenshot(path=pages / "hover.png")
    page.mouse.move(5, 5)
    page.locator("#card").wait_for(state="hidden")


def test_contested_labels_have_a_ring_that_goes_with_their_class(show):
    page = show("contested")
    count = """document.querySelector("#plot-2d").data.filter((t) => t.name === "contested")
      .reduce((sum, t) => sum + t.x.length, 0)"""
    assert page.evaluate(count) == 3
    for button in page.query_selector_all("[data-class]"):
        button.click()
    page.wait_for_function(f"{count} === 0")


def test_a_list_is_saved_without_a_network(show):
    page = show("contested")
    with page.expect_download() as found:
        page.click('[download="suspects.csv"]')
    saved = Path(found.value.path()).read_text(encoding="utf-8").splitlines()
    assert saved[0] == "row,given,likely,probability,given_probability,'=note,size"
    assert len(saved) == 4


def test_a_word_leads_to_its_meaning(show):
    page = show("contested", NARROW)
    page.locator(".term").first.click()
    assert page.evaluate("location.hash") == "#word-left-out-error"
    assert page.locator("#word-left-out-error").is_visible()


def test_third_dimension_draws_on_demand(show, pages):
    page = show("digits")
    assert page.locator("#plot-3d canvas").count() == 0
    page.click('[data-view="3d"]')
    page.wait_for_function("document.documentElement.dataset.drawn === '3d'")
    page.locator(".stage").screenshot(path=pages / "third.png")
    assert colored_pixels(pages / "third.png") > 1000


def test_no_button_sends_the_data_away(show):
    buttons = show("digits").eval_on_selector_all(
        ".modebar-btn", "(all) => all.map((b) => b.dataset.title).join()"
    )
    assert "Zoom" in buttons
    assert "loud" not in buttons  # plotly's "... to Chart Studio Cloud"


def test_choices_change_the_plot(show):
    page = show("digits")
    plot = "document.querySelector('#plot-2d')"
    page.click('[data-color="sure"]')
    page.wait_for_function(f"{plot}.data.every((t) => t.marker.color.startsWith('rgb('))")
    assert page.is_visible(".scale")
    page.click('[data-color="label"]')
    page.wait_for_function(f"{plot}.data.every((t) => t.marker.color.startsWith('#'))")
    page.click('[data-class="3"]')
    page.wait_for_function(f"!{plot}.data.some((t) => t.name === '3')")
    assert page.evaluate(f"new Set({plot}.data.map((t) => t.name)).size") == 9
    page.select_option("[data-axis=x]", label="5")
    page.wait_for_function(f"{plot}.layout.xaxis.title.text === 'component 5'")
    page.click("#theme")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")


def test_choices_can_be_made_by_keyboard(show):
    page = show("digits")
    page.focus('[data-view="3d"]')
    page.keyboard.press("Enter")
    page.wait_for_function("document.documentElement.dataset.drawn === '3d'")
    page.focus('[data-class="3"]')
    page.keyboard.press("Space")
    assert page.get_attribute('[data-class="3"]', "aria-pressed") == "false"


def test_doubtful_row_is_ringed(show):
    page = show("digits")
    page.click("[data-point]")
    page.wait_for_function("document.querySelector('#picked').textContent")
    row = page.text_content(".doubtful td")
    assert f"row {row}," in page.text_content("#picked")
    last = "document.querySelector('#plot-2d').data.at(-1).marker.symbol"
    assert page.evaluate(last) == "circle-open"


def test_nasty_strings_do_nothing(show):
    page = show("nasty")
    point_at(page)
    assert "<" in page.inner_text("#card")
    assert page.locator("#card img, #card script, #card a").count() == 0
    page.click('[data-view="3d"]')
    page.wait_for_function("document.documentElement.dataset.drawn === '3d'")
    assert page.title() != "owned"
    assert page.evaluate("document.documentElement.scrollWidth") == WIDE["width"]


@pytest.mark.parametrize("name", ["strip", "flat"])
def test_fewer_components_draw_too(show, name):
    page = show(name)
    assert page.evaluate(f"{PAINTED}('#plot-2d')") > 300
    assert ("<b>no</b>" in page.text_content("#plot-2d")) == (name == "strip")


def test_twenty_thousand_points_draw_and_answer(show):
    page = show("large")
    drawn = "document.querySelector('#plot-2d').data.reduce((n, t) => n + t.x.length, 0)"
    assert page.evaluate(drawn) == 20_000
    point_at(page)


def test_print_is_light_and_unfolded(show, pages):
    page = show("digits", theme="dark")
    page.evaluate(
        "addEventListener('beforeprint', () => { window.printed = [document.documentElement"
        ".dataset.theme, document.querySelectorAll('details:not([open])').length]; })"
    )
    page.pdf(path=pages / "digits.pdf")
    assert page.evaluate("window.printed") == ["light", 0]
    assert (pages / "digits.pdf").read_bytes().startswith(b"%PDF")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
