"""How far a reader walks: ``python -m benchmarks.walks [SRC]``.

For four calls: the modules of this package that have a frame, the deepest stack of our own frames,
how often a target is encoded and rows are checked. For the code: root modules, private helpers
with one user, lines. Other versions of the code: put their ``src`` folder on PYTHONPATH.
"""

import ast
import re
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

from sklearn.datasets import load_digits, load_iris

import ssrlpl
from ssrlpl import SSRLPLCV, KernelSSRLPL, certify
from ssrlpl.datasets import hide_labels

PACKAGE = Path(ssrlpl.__file__).parent
FORMULAS = ("_core", "_utils")
CHECKS = ("validate_data", "check_array")


class Walk:
    """Counts frames while a call runs."""

    def __init__(self):
        self.modules, self.depth, self.deepest, self.calls = set(), 0, 0, Counter()

    def __call__(self, frame, event, _):
        name, here = frame.f_code.co_name, frame.f_code.co_filename
        ours = here.startswith(str(PACKAGE)) and not name.startswith("<")
        if event == "call" and name in CHECKS and frame.f_back is not None:
            self.calls[name] += frame.f_back.f_code.co_filename.startswith(str(PACKAGE))
        if not ours:
            return
        if event == "call":
            self.calls[name] += name == "encode_labels"
            self.modules.add(str(Path(here).relative_to(PACKAGE)))
            self.depth += 1
            self.deepest = max(self.deepest, self.depth)
        elif event == "return":
            self.depth -= 1


def walked(call):
    """Return the walk of a call."""
    walk = Walk()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.setprofile(walk)
        try:
            call()
        finally:
            sys.setprofile(None)
    return walk


def calls():
    """Yield the four calls by name, each run once before so that lazy imports do not count."""
    X, truth = load_digits(return_X_y=True)
    y = hide_labels(truth, keep=100, random_state=0)
    yield "KernelSSRLPL.fit", lambda: KernelSSRLPL().fit(X, y)
    yield "SSRLPLCV.fit", lambda: SSRLPLCV().fit(X, y)
    yield "certify", lambda: certify(KernelSSRLPL(), X, y)
    iris, species = load_iris(return_X_y=True)
    y_iris = hide_labels(species, keep=40, random_state=0)
    yield "certify (iris)", lambda: certify(KernelSSRLPL(), iris, y_iris)
    folder = Path(tempfile.mkdtemp())
    lines = [
        ",".join(map(str, [*row, "" if c < 0 else f"s{c}"]))
        for row, c in zip(iris, y_iris, strict=True)
    ]
    (folder / "iris.csv").write_text("\n".join(["a,b,c,d,species", *lines]))
    from typer.testing import CliRunner

    from ssrlpl.cli.app import app

    arguments = ["fit", str(folder / "iris.csv"), "--target", "species", "--force", "--out"]
    yield "ssrlpl fit", lambda: CliRunner().invoke(app, [*arguments, str(folder / "out")])


def helpers():
    """Return how many private functions there are, and how many are named once besides."""
    texts = [path.read_text() for path in PACKAGE.rglob("*.py")]
    names = [
        node.name
        for text in texts
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and re.fullmatch(r"_[a-z]\w*", node.name)
    ]
    words = Counter(word for text in texts for word in re.findall(r"\w+", text))
    return len(names), sum(words[name] == 2 for name in names)


def main():
    """Print the table."""
    root = list(PACKAGE.glob("*.py"))
    every, once = helpers()
    trees = [PACKAGE, *(Path(p) for p in ("tests", "benchmarks") if Path(p).is_dir())]
    lines = {t.name: sum(len(p.read_text().splitlines()) for p in t.rglob("*.py")) for t in trees}
    print(f"modules at the root: {len(root)}; private helpers {every}, used once {once}; {lines}")
    print("| call | modules | without formulas | frames | encodings | checks of rows |")
    print("|---|---|---|---|---|---|")
    for name, call in calls():
        call()
        walk = walked(call)
        outside = [m for m in walk.modules if not m.startswith(FORMULAS)]
        checks = sum(walk.calls[c] for c in CHECKS)
        print(
            f"| {name} | {len(walk.modules)} | {len(outside)} | {walk.deepest} |"
            f" {walk.calls['encode_labels']} | {checks} |"
        )
        if "-v" in sys.argv:
            print(sorted(walk.modules))


if __name__ == "__main__":
    main()
