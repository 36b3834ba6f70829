"""What the README shows is what the code says, or the results that are committed."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    name: (ROOT / "results" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("unseen", "league")  # in the order of their tables in the README
}
COUNTS = (2, 5, 20)
_TABLES = README.split("## How good it is")[1].split("|---|---|---|---|\n")[1:]
SHOWN = [
    (page, method, figures)
    for page, table in zip(PAGES, _TABLES, strict=False)
    for method, figures in re.findall(r"^\| (.+?) \| ([\d.]+ \([\d.]+\) \| .+) \|$", table, re.M)
]


def in_results(page, method, count):
    """Return accuracy and rank of a method in the section of a number of labels."""
    section = PAGES[page].split(f"## {count} labels a class\n")[1].split("\n## ")[0]
    (found,) = re.findall(rf"^\| {re.escape(method)} \| (\S+) \| (\S+) \|", section, re.M)
    return "{} ({})".format(*found)


@pytest.mark.parametrize(("page", "method", "figures"), SHOWN)
def test_a_line_of_a_league(page, method, figures):
    assert figures == " | ".join(in_results(page, method, count) for count in COUNTS)


def test_ours_and_what_a_person_would_pick_are_there():
    for page, n_rivals in (("unseen", 11), ("league", 12)):
        shown = {method for name, method, _ in SHOWN if name == page}
        assert {"SSRLPLCV, combined", "logistic regression", "tuned RBF-SVM"} <= shown
        row = r"^\| ([^|]+) \| [\d.]+ \| [\d.]+ \| \d+ \| [\d.]+ \|$"
        rivals = {
            name for name in re.findall(row, PAGES[page], re.M) if not name.startswith("SSRL")
        }
        assert len(rivals) == n_rivals


@pytest.mark.parametrize("page", ["index.md", "results/index.md"])
def test_the_site_finds_what_it_takes_from_here(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    taken = re.findall(r':start-after: "(.+)"\n:end-before: "(.+)"', text)
    assert taken
    for first, last in taken:
        assert README.count(first) == 1
        assert last in README.split(first)[1]


def test_the_first_table_is_filled_in_by_the_command(tmp_path):
    from command_line import pd, run  # needs the extras of the command line

    penguins = ROOT / "docs" / "tables" / "pinguine.csv"
    run("fit", penguins, "--target", "Art", "--no-certify", "--out", tmp_path / "out")
    labels = pd.read_csv(tmp_path / "out" / "labels.csv")
    lines = penguins.read_text(encoding="cp1252").splitlines()[4:]
    shown = re.findall(r"^\| (\d\d\.\d) \| (.+) \|$", README, re.M)
    for line in shown:
        beak, flipper, weight, given, filled_in = (
            cell.strip(" *") for cell in " | ".join(line).split("|")
        )
        cells = f";{beak.replace('.', ',')};\\S+;{flipper};{weight.replace(',', '.')} g;{given}$"
        (row,) = [k for k, text in enumerate(lines) if re.search(cells, text)]
        assert labels["label"][row] == (given or filled_in)
        assert labels["given"][row] == bool(given)
    assert len(shown) == 4
