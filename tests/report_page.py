"""A report as a browser would read it."""

import base64
import json
from functools import cache
from html.parser import HTMLParser

import numpy as np

from report_samples import digits
from ssrlpl.report import render_report

VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """The page as a browser would read it: elements with their attributes, and their text."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.text, self.scripts = [], {}, []
        self._open = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag == "script":
            self.scripts.append("")
        if tag not in VOID:
            self._open.append((tag, dict(attributes).get("id")))

    def handle_endtag(self, tag):
        assert self._open, f"nothing open at </{tag}>"
        assert self._open[-1][0] == tag, f"</{tag}> closes {self._open[-1]}"
        self._open.pop()

    def handle_data(self, data):
        if self._open and self._open[-1][0] == "script":
            self.scripts[-1] += data
            return
        for _, name in self._open:
            if name:
                self.text[name] = self.text.get(name, "") + data

    def close(self):
        super().close()
        assert not self._open

    @property
    def points(self):
        return json.loads(self.scripts[1])


def page_of(summary, arrays):
    return Page(render_report(summary, arrays))


@cache
def real_report():
    """A report of a real fit, made once: summary, arrays and page."""
    summary, arrays = digits(n_rows=300, n_labels=150)
    return summary, arrays, page_of(summary, arrays)


def numbers(text, dtype):
    return np.frombuffer(base64.b64decode(text), dtype=dtype)
