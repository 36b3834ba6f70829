"""The checks of the site find what they are there for."""

import importlib
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def tool(folder, name):
    sys.path.insert(0, str(DOCS / folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


def test_a_sound_site_has_no_problems(tmp_path):
    (tmp_path / "b.html").write_text('<p id="here">to <a href="a.html">a</a></p>')
    (tmp_path / "a.html").write_text(
        '<script src="s.js"></script><a href="b.html#here">b</a><a href="#top" id="top">up</a>'
        '<a href="https://example.org/away">away</a>'
    )
    (tmp_path / "s.js").write_text("")
    assert tool("_checks", "links").problems(tmp_path) == []


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ('<a href="gone.html">x</a>', "a.html leads to gone.html, which does not exist"),
        ('<a href="#gone">x</a>', "a.html leads to #gone, which does not exist"),
        ('<img src="gone.png">', "a.html leads to gone.png, which does not exist"),
        ('<script src="//cdn.example/x.js"></script>', "a.html loads //cdn.example/x.js from"),
        (
            '<link rel="stylesheet" href="https://f.example/x.css">',
            "a.html loads https://f.example",
        ),
    ],
)
def test_each_kind_of_problem_is_found(tmp_path, page, sentence):
    (tmp_path / "a.html").write_text(page)
    (found,) = tool("_checks", "links").problems(tmp_path)
    assert found.startswith(sentence)


def test_a_style_that_loads_from_elsewhere_is_found(tmp_path):
    (tmp_path / "a.css").write_text("@font-face { src: url('https://f.example/x.woff') }")
    assert tool("_checks", "links").problems(tmp_path) == ["a.css loads something from elsewhere"]


def test_links_of_files_elsewhere_become_links_of_the_site():
    pytest.importorskip("sphinx")
    relinked = tool("_ext", "repository_pages").relinked
    text = (
        "[a](docs/limits.md#top) [b](results/league.md) ![c](docs/images/rooms.svg) [d](Makefile)"
    )
    assert relinked(text, "ARCHITECTURE.md", "project/architecture") == (
        "[a](../limits.md#top) [b](../results/league.md) ![c](../images/rooms.svg)"
        " [d](https://github.com/ssrlpl/ssrlpl/blob/main/Makefile)"
    )
    code = "```python\nx[0](docs/limits.md)\n```"
    assert relinked(code, "ARCHITECTURE.md", "project/architecture") == code
