"""The page of a report: data arrive unchanged, texts stay texts, nothing is loaded."""

import base64
import hashlib
import json
import re
import sys
from importlib import resources

import numpy as np
import pytest

from report_page import numbers, page_of, real_report
from report_samples import NASTY, invented, nasty, with_label_certificate
from ssrlpl._utils import limits
from ssrlpl._utils.printing import percent_at_least
from ssrlpl.report import render_report
from ssrlpl.report.filters import on_page, percent, plural, signed
from ssrlpl.report.payload import drawn_rows

LOADING = {"src", "srcset", "data", "action", "formaction", "poster", "background", "ping"}


@pytest.fixture(scope="module")
def real():
    return real_report()


def test_points_arrive_unchanged(real):
    summary, arrays, page = real
    points = page.points
    columns = [numbers(column, "<f4") for column in points["representation"]]
    np.testing.assert_array_equal(np.column_stack(columns), arrays["representation"])
    np.testing.assert_array_equal(numbers(points["given"], "<i4"), arrays["given"])
    np.testing.assert_array_equal(numbers(points["predicted"], "<i4"), arrays["predicted"])
    np.testing.assert_array_equal(numbers(points["probability"], "<f4"), arrays["probability"])
    assert points["row"] == arrays["row"]
    assert {c["name"]: c["values"] for c in points["hover"]} == arrays["hover"]
    assert points["classes"] == summary["data"]["classes"]


def test_three_dimensions_are_offered_only_where_there_are_three():
    for n_components, tabs in ((1, 0), (2, 0), (3, 2), (9, 2)):
        page = page_of(*invented(n_components=n_components))
        assert sum("data-view" in a for _, a in page.elements) == tabs


def test_nasty_strings_stay_text():
    summary, arrays = nasty()
    page = page_of(summary, arrays)
    plain, rows = invented(n_rows=80, names=tuple("abcdefghij"))
    plain = page_of(with_label_certificate(plain), rows)
    allowed = {tag for tag, _ in plain.elements} | {"details", "summary"}
    assert {tag for tag, _ in page.elements} <= allowed
    assert not [a for _, a in page.elements for name in a if name.startswith("on")]
    assert [tag for tag, _ in page.elements].count("script") == 4
    links = [a["href"] for tag, a in page.elements if "href" in a]
    assert all(re.match(r"#[a-z-]+$|data:text/csv;charset=utf-8,[\w%.-]*$", link) for link in links)
    assert NASTY[0] in page.text["data"]
    assert NASTY[1] in page.text["labels"]


def test_nasty_strings_survive_the_payload():
    summary, arrays = nasty()
    page = page_of(summary, arrays)
    assert not re.search("[<>&\u2028\u2029]", page.scripts[1])
    points = page.points
    assert points["classes"][:-1] == NASTY[:-1]
    assert points["hover"][0]["values"][0] == NASTY[0]
    assert len(points["classes"][-1]) == 120


def test_page_can_be_written_as_utf8_and_holds_no_control_characters():
    html = render_report(*nasty())
    written = html.encode("utf-8").decode("utf-8")
    ours = written[: written.index('<script type="application/json"')]
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", ours)


def test_nothing_is_loaded_from_anywhere(real):
    _, _, page = real
    loading = [(t, a) for t, a in page.elements if t in ("link", "img", "iframe") or LOADING & {*a}]
    assert loading == []
    style = [a["style"] for _, a in page.elements if "style" in a]
    assert not [text for text in style if "url(" in text]


def test_policy_names_exactly_the_scripts_of_the_page(real):
    _, _, page = real
    policy = next(a["content"] for t, a in page.elements if "http-equiv" in a)
    running = [script for i, script in enumerate(page.scripts) if i != 1]
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in running]
    assert re.findall(r"'sha256-([^']+)'", policy) == hashes
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy


def test_twenty_thousand_rows_stay_a_small_page():
    summary, arrays = invented(n_rows=20_000, n_components=9, names=tuple("abcdefghij"))
    arrays["hover"] = {f"column {i}": ["0.123456"] * 20_000 for i in range(6)}
    assert len(render_report(summary, arrays).encode()) < 15e6


def test_larger_tables_are_sampled_and_say_so():
    summary, arrays = invented(n_rows=limits.DRAWN_POINTS + 5_000)
    page = page_of(summary, arrays)
    assert len(page.points["row"]) == limits.DRAWN_POINTS
    assert "A sample of 20,000 of the 25,000 rows is drawn" in page.text["representation"]


def test_sample_made_before_is_said_as_well():
    summary, arrays = invented(n_rows=60)
    summary["data"]["n_rows"] = 1000
    assert "A sample of 60 of the 1,000 rows" in page_of(summary, arrays).text["representation"]


def test_labeled_rows_are_drawn_and_others_evenly(monkeypatch):
    monkeypatch.setattr(limits, "DRAWN_POINTS", 4)
    given = np.array([-1, -1, 0, -1, -1, -1, -1, -1, -1, -1])
    assert drawn_rows({"given": given}).tolist() == [0, 2, 4, 7]
    assert drawn_rows({"given": np.arange(8)}).tolist() == [0, 2, 4, 6]


def test_repeated_looks_of_many_classes_are_admitted():
    names = tuple(f"class {i}" for i in range(51))
    assert "share color and symbol" in render_report(*invented(n_rows=102, names=names))
    assert "share color and symbol" not in render_report(*invented(n_rows=100, names=names[:50]))


def test_rendering_changes_nothing_it_was_given():
    summary, arrays = invented()
    before = json.dumps(summary)
    render_report(summary, arrays)
    assert json.dumps(summary) == before


def test_same_input_same_page():
    assert render_report(*invented()) == render_report(*invented())


def test_other_formats_are_refused():
    summary, arrays = invented()
    with pytest.raises(ValueError, match="must have format 1. Got 2"):
        render_report(summary | {"format": 2}, arrays)


def test_rows_that_do_not_belong_together_are_refused():
    summary, arrays = invented()
    with pytest.raises(ValueError, match="each of the 60 rows .* Got 59 in given"):
        render_report(summary, arrays | {"given": arrays["given"][1:]})
    with pytest.raises(ValueError, match="Got 1 in hover x"):
        render_report(summary, arrays | {"hover": {"x": ["1"]}})
    with pytest.raises(ValueError, match="at least one component"):
        render_report(summary, arrays | {"representation": np.zeros((60, 0))})


@pytest.mark.parametrize("package", ["plotly", "jinja2"])
def test_without_a_package_the_extra_is_named(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"{package}: install it .* 'ssrlpl\[cli\]'"):
        render_report(*invented())


def test_words_and_numbers():
    assert percent(None) == percent(float("nan")) == on_page(float("inf")) == on_page(None) == "n/a"
    assert percent_at_least(0.99999) == "99.9%"
    assert [on_page(True), on_page(3), on_page(1 / 3)] == ["True", "3", "0.3333"]
    assert on_page("bell \x07, half a pair \ud800") == "bell \ufffd, half a pair \ufffd"
    assert [plural(1, "class"), plural(2000, "class"), signed(-0.5)] == [
        "1 class",
        "2,000 classes",
        "−0.5",
    ]


def test_long_and_empty_names():
    summary, arrays = invented(names=("x" * 61, " ", "c"))
    html = render_report(summary, arrays)
    assert f'<bdi title="{"x" * 61}">{"x" * 59}…</bdi>' in html
    assert '<bdi class="empty">(empty)</bdi>' in html


def test_templates_call_nothing_safe_but_our_own_files():
    folder = resources.files("ssrlpl.report") / "templates"
    found = re.findall(
        r"[\w.]+ *\| *safe|autoescape", " ".join(t.read_text("utf-8") for t in folder.iterdir())
    )
    assert sorted(found) == [
        "scripts.behavior|safe",
        "scripts.library|safe",
        "scripts.theme|safe",
        "style|safe",
    ]
