"""The report as text: what stands in it."""

import csv
import re
from html import escape
from urllib.parse import unquote

import pytest

from report_page import Page, numbers, page_of, real_report
from report_samples import digits, invented, left_out, with_label_certificate, with_lists
from ssrlpl.report import render_report
from ssrlpl.report.filters import percent

SECTIONS = ["certified", "representation", "labels", "suspects", "next", "features", "selection",
            "guarantee", "data", "repeat", "glossary"]  # fmt: skip


@pytest.fixture(scope="module")
def real():
    return real_report()


def test_sections_stand_in_order_after_the_headline(real):
    _, _, page = real
    names = [a["id"] for tag, a in page.elements if tag == "section"]
    assert names == SECTIONS
    tags = [tag for tag, _ in page.elements]
    assert tags.index("h1") < tags.index("section")


def top_of(html):
    return html[html.index("<header") : html.index('<section id="certified"')]


def test_headline_gives_the_first_line_then_verdict_and_sizes(real):
    summary, arrays, _ = real
    top = top_of(render_report(summary, arrays))
    assert f'<h1 class="first">{summary["first_line"]}</h1>' in top
    assert top.index("<h1") < top.index('class="verdict')
    words = {"helps": "rows help", "undecided": "is undecided", "hurts": "rows hurt"}
    assert words[summary["verdict"]] in top
    assert "≥ 90.8%" in top  # never rounded upward
    assert f"<b>{summary['label_certificate']['n_accepted']}</b>" in top
    assert summary["certificate"]["headline"].splitlines()[0] not in top  # for experts
    for line in summary["headline"].splitlines():
        assert escape(line) in top
    assert "150 labeled, 150 unlabeled" in top


def test_the_best_guess_is_one_number_also_if_no_audited_row_was_wrong(real):
    summary, arrays, _ = real
    found = summary["label_certificate"] | {"error_estimate": 0.0, "best_guess": 96}
    top = top_of(render_report(summary | {"label_certificate": found}, arrays))
    assert "best guess 96%, 95% confidence" in top
    assert "100.0%" not in top


def test_of_no_row_nothing_is_said_about_wrong_ones(real):
    summary, arrays, _ = real
    found = summary["label_certificate"]
    assert "of them wrong" in top_of(render_report(summary, arrays))
    none = summary | {"label_certificate": found | {"n_accepted": 0}}
    assert "of them wrong" not in top_of(render_report(none, arrays))


def test_left_out_errors_are_named_only_if_they_were_measured(real):
    summary, arrays, _ = real
    below = "(below) says how often its labels are wrong"
    assert below in render_report(summary, arrays)
    assert below not in render_report(summary | {"selection": None}, arrays)


def test_warnings_stand_first_and_take_the_tiles_with_figures_away(real):
    summary, arrays, _ = real
    assert "Left-out error" in render_report(summary, arrays)
    warned = summary | {"warnings": ["No better than <guessing>."], "verdict": None}
    top = top_of(render_report(warned | {"label_certificate": None}, arrays))
    assert top.index("No better than &lt;guessing&gt;.") < top.index("<h1")
    assert "confidence" not in top
    tiles = top[top.index('<dl class="tiles">') :]
    assert re.findall(r"<dt>(.*?)</dt>", tiles) == ["Rows", "Components"]


@pytest.mark.parametrize(
    ("verdict", "words"),
    [("helps", "The unlabeled rows help"), ("hurts", "The unlabeled rows hurt")],
)
def test_every_verdict_has_its_words(verdict, words):
    summary, arrays = invented()
    assert words in render_report(summary | {"verdict": verdict}, arrays)


def test_a_search_shows_its_own_comparison():
    summary, arrays = invented()
    html = render_report(summary, arrays)
    assert html.count("Do the unlabeled rows help?") == 1
    assert "Wrong only without them: 9 rows; only with them: 2 rows (paired t-test of the" in html
    chosen = summary["selection"] | {"uses_unlabeled": False}
    html = render_report(summary | {"selection": chosen, "verdict": "undecided"}, arrays)
    assert "They are not used" in html
    assert "The unlabeled rows are not used</span></p>" in html
    assert "Wrong only" not in html
    html = render_report(summary | {"selection": chosen, "verdict": "hurts"}, arrays)
    assert "The unlabeled rows would hurt and are left out</span></p>" in html


def test_guarantee_shows_gauge_assumptions_and_what_voids_it(real):
    summary, arrays, page = real
    text = page.text["guarantee"]
    certificate = summary["certificate"]
    assert all(sentence in text for sentence in certificate["assumptions"])
    assert percent(certificate["retained_estimate"]) in text
    assert "No sign against this" in text
    void = {**summary, "certificate": {**certificate, "voids": ["The rows were hand-picked."]}}
    voided = page_of(void, arrays)
    assert "The rows were hand-picked." in voided.text["guarantee"]
    assert "No sign against this" not in voided.text["guarantee"]


def test_gauge_stays_inside_its_scale(real):
    summary, arrays, _ = real
    for lower, estimate in ((-0.5, 1.7), (0.9, 0.2), (float("nan"), 0.5)):
        certificate = {
            **summary["certificate"], "retained_lower": lower, "retained_estimate": estimate,
        }  # fmt: skip
        page = page_of({**summary, "certificate": certificate}, arrays)
        kinds = ("certified", "estimated", "rest")
        bars = [a for tag, a in page.elements if tag == "rect" and a["class"] in kinds]
        assert len(bars) == 3
        assert all(float(bar["width"]) >= 0 for bar in bars)
        assert sum(float(bar["width"]) for bar in bars) == pytest.approx(568, abs=0.2)


def test_heuristic_certificate_does_not_claim_confidence():
    text = page_of(*digits(n_rows=300, n_labels=150, method="loo")).text["guarantee"]
    assert "By a heuristic at 95%" in text
    assert "confidence" not in text


def test_certificate_is_told_in_its_own_words(real):
    summary, arrays, page = real
    sentence = summary["certificate"]["headline"].splitlines()[0]
    assert sentence in page.text["guarantee"]
    assert render_report(summary, arrays).count(sentence) == 1
    for row in summary["certificate"]["table"]:
        assert row["quantity"].strip() in page.text["guarantee"]


def test_filled_in_labels_are_judged_class_by_class(real):
    summary, arrays, page = real
    text = " ".join(page.text["certified"].split())
    assert "200 labels were hidden from a model and compared with what it says: 10 came out" in text
    assert "95% 84.9% to 100.0%; 19 of 20" in text  # 84.97, rounded outward
    assert text.count("no audited row") == 10
    assert "No audit row has class 0." in text
    kinds = [a.get("class") for tag, a in page.elements if tag == "td"]
    assert (kinds.count("number right"), kinds.count("number wrong")) == (10, 10)
    many = summary | {"label_certificate": summary["label_certificate"] | {"confusion": None}}
    assert "What is taken for what" not in render_report(many, arrays)


def test_rows_to_look_at_are_all_listed_or_said_to_be_in_the_file(real):
    summary, arrays, page = real
    assert "The rows to look at" in page.text["certified"]
    assert (
        "10 filled-in labels cannot be taken without a look; of the 140 others at most 5%"
        in (page.text["certified"])
    )
    assert "most doubtful" not in page.text["labels"]  # no two lists of rows
    none = page_of(with_label_certificate(summary, n_accepted=0), arrays).text["certified"]
    assert "150 filled-in labels cannot be taken without a look." in none
    assert "All of them are in labels.csv" in none


def test_a_person_is_told_how_to_be_surer():
    summary, arrays = invented()
    page = page_of(summary | {"n_to_audit": 66}, arrays)
    said = " ".join(page.text["certified"].split())
    assert "--model model.ssrlpl writes down rows drawn at random" in said
    assert "If none of 66 rows is wrong, at least 95 of 100 are right." in said


def test_without_a_certificate_the_section_says_why():
    summary, arrays = invented()
    page = page_of(summary, arrays)
    assert "To be surer" not in page.text["certified"]  # a summary of an older version
    assert summary["first_line"] in page.text["certified"]
    assert "The 10 most doubtful rows" in page.text["labels"]
    old = {name: value for name, value in summary.items() if name != "first_line"}
    assert "have no certificate" in page_of(old, arrays).text["certified"]


def test_doubtful_rows_lead_to_their_point(real):
    summary, _, page = real
    buttons = [int(a["data-point"]) for tag, a in page.elements if "data-point" in a]
    rows = [doubt["row"] for doubt in summary["labels"]["doubtful"]]
    assert [page.points["row"][place] for place in buttons] == rows


def test_suspect_labels_stand_with_both_probabilities_and_cells():
    summary, arrays = invented()
    page = page_of(with_lists(summary, arrays), left_out(arrays))
    text = " ".join(page.text["suspects"].split())
    n_given = summary["data"]["n_labeled"]
    assert f"Each of {n_given} given labels was hidden in turn. For 3 rows the others" in text
    assert "1.0%" in text
    assert "90.0%" in text
    assert text.count("=note =1+1 size -3") == 3
    assert f"3 of {n_given} labeled rows have a ring" in " ".join(
        page.text["representation"].split()
    )
    rings = numbers(page.points["left_out"], "<i4")
    assert ((rings != arrays["given"]) & (arrays["given"] >= 0)).sum() == 3


def test_why_no_label_is_suspected_is_said():
    summary, arrays = invented()
    assert "This was not looked for." in page_of(summary, arrays).text["suspects"]
    lists = with_lists(summary, arrays)
    none = lists | {"suspects": lists["suspects"] | {"rows": [], "n_found": 0}}
    assert "the others agree with every one" in page_of(none, arrays).text["suspects"]
    assert "None has a ring" in page_of(none, arrays).text["representation"]
    noise = lists | {"suspects": lists["suspects"] | {"reason": "Guessing <is> as good."}}
    text = page_of(noise, arrays).text["suspects"]
    assert "There is no such list. Guessing <is> as good." in text
    assert "90.0%" not in text


@pytest.mark.parametrize("as_is", [False, True])
def test_each_list_is_a_file_inside_the_page(as_is):
    summary, arrays = invented()
    lists = with_lists(with_label_certificate(summary), arrays)
    page = Page(render_report(lists, arrays, as_is=as_is))
    links = {a["download"]: a["href"] for tag, a in page.elements if "download" in a}
    assert list(links) == ["to_check.csv", "suspects.csv", "label_next.csv"]
    read = list(csv.reader(unquote(links["suspects.csv"].split(",", 1)[1]).splitlines()))
    note, formula = ("=note", "=1+1") if as_is else ("'=note", "'=1+1")
    assert read[0] == ["row", "given", "likely", "probability", "given_probability", note, "size"]
    first = lists["suspects"]["rows"][0]
    assert read[1] == [first["row"], first["given"], first["likely"], "0.9", "0.01", formula, "-3"]
    assert len(read) == 4


def test_contents_and_words_lead_somewhere():
    summary, arrays = invented()
    page = page_of(with_lists(with_label_certificate(summary), arrays), arrays)
    ids = {a["id"] for _, a in page.elements if "id" in a}
    inside = [a["href"][1:] for tag, a in page.elements if a.get("href", "").startswith("#")]
    assert [name for name in inside if not name.startswith("word-")] == SECTIONS
    assert set(inside) <= ids
    terms = [a for tag, a in page.elements if a.get("class") == "term"]
    assert {"#word-left-out-error", "#word-confidence"} <= {a["href"] for a in terms}
    for term in terms:  # on hover the same sentence as in the list
        assert term["title"] in page.text[term["href"][1:]]


def test_one_thing_has_one_name(real):
    summary, arrays, _ = real
    html = render_report(summary, arrays)
    ours = html[: html.index('<script type="application/json"')]
    assert "eft-out error" in ours
    assert not re.search("leave-one-out error", ours, re.IGNORECASE)


def test_table_preview_shows_empty_cells_and_how_many_columns():
    summary, arrays = invented()
    text = " ".join(page_of(with_lists(summary, arrays), arrays).text["data"].split())
    assert "2 rows of it Row=notesize 0=1+1empty 1<b>2" in text
    assert "The first 2 of 5 columns." in text


def test_selection_shows_the_rivals_beside_the_winner(real):
    _, _, page = real
    text = page.text["selection"]
    words = ("SSRLPLCV", "logistic regression", "largest weight", "plain method")
    assert [text.index(word) for word in words] == sorted(text.index(word) for word in words)
    assert "largest class" in text
    assert "gamma" in text


def test_many_candidates_are_folded_but_present():
    summary, arrays = invented()
    rows = [
        {"candidate": f"number {i}", "loo_error": 0.1, "standard_error": None, "role": ""}
        for i in range(40)
    ]
    summary["selection"]["rows"] += rows
    text = page_of(summary, arrays).text["selection"]
    assert "48 other candidates" in text
    assert "number 39" in text


def test_missing_parts_say_why_in_a_sentence():
    summary, arrays = invented()
    summary |= {"selection": None, "features": None, "labels": None, "certificate_reason": "Busy."}
    page = page_of(summary, arrays)
    assert "There is no certificate: Busy." in page.text["guarantee"]
    assert "no other was tried" in page.text["selection"]
    assert "is not known" in page.text["features"]
    assert "no row is unlabeled" in page.text["labels"]
    assert "No verdict on the unlabeled rows" in render_report(summary, arrays)


def test_repeat_gives_command_seed_and_versions(real):
    summary, _, page = real
    assert page.text["command"] == summary["command"]
    text = page.text["repeat"]
    assert "Seed 0" in text
    for name, version in summary["versions"].items():
        assert name in text
        assert version in text
