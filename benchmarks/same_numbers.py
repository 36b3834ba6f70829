"""Did a change of the code change an answer? Record what it says, then compare.

``python -m benchmarks.same_numbers record FILE`` with one version of the code on the path,
``python -m benchmarks.same_numbers compare FILE`` with another one. Only public names are used.
"""

import sys
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading

import ssrlpl
from ssrlpl import SSRLPL, SSRLPLCV, GraphLabeler, KernelSSRLPL, KNNLabeler, SSRLPLClassifier
from ssrlpl.datasets import hide_labels, make_two_moons

NOT_COMPARED = ("estimator", "comparison", "wta_error")
TOLERANCE = 1e-12


def _standard(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def inputs():
    """Yield a dozen tables by name: rows, partially labeled target."""
    rng = np.random.default_rng(0)
    iris, wine, cancer, digits = (
        load(return_X_y=True) for load in (load_iris, load_wine, load_breast_cancer, load_digits)
    )
    moons, halves, _ = make_two_moons(n_samples=200, random_state=0)
    names = np.array(["setosa", "versicolor", "virginica"], dtype=object)
    yield "iris", iris[0], hide_labels(iris[1], keep=30, random_state=0)
    yield "iris, names", iris[0], hide_labels(names[iris[1]], keep=12, random_state=1)
    yield "wine", wine[0], hide_labels(wine[1], keep=25, random_state=0)
    yield "wine, standardized", _standard(wine[0]), hide_labels(wine[1], keep=25, random_state=0)
    yield "cancer", _standard(cancer[0]), hide_labels(cancer[1], keep=40, random_state=0)
    yield "digits", digits[0][:600] / 16, hide_labels(digits[1][:600], keep=80, random_state=0)
    some = slice(600, 900)
    yield (
        "digits, float32",
        (digits[0][some] / 16).astype(np.float32),
        hide_labels(digits[1][some], keep=60, random_state=0),
    )
    yield (
        "digits, sparse",
        sparse.csr_matrix(digits[0][some]),
        hide_labels(digits[1][some], keep=60, random_state=0),
    )
    yield "moons", moons, halves
    far = rng.normal(size=(120, 5)) + 1e4
    yield "far away", far, np.where(np.arange(120) % 6 == 0, np.arange(120) // 6 % 2, -1)
    copies = np.repeat(rng.normal(size=(30, 4)), 4, axis=0)
    yield "copies", copies, np.where(np.arange(120) % 5 == 0, np.arange(120) % 3, -1)
    yield "all labeled", iris[0][::2], iris[1][::2]
    wide = rng.normal(size=(60, 300))
    wide[:, 0] += 3 * (np.arange(60) % 2)
    yield "wide", wide, np.where(np.arange(60) < 20, np.arange(60) % 2, -1)


ESTIMATORS = {
    "knn": KNNLabeler(),
    "knn, cosine, wta": KNNLabeler(3, similarity="cosine", winner_take_all=True),
    "graph": GraphLabeler(),
    "graph, harmonic": GraphLabeler(7, method="harmonic", sharpness=4.0),
    "linear": SSRLPL(),
    "linear, whitened": SSRLPL(constraint="whitened"),
    "linear, labeled only": SSRLPL(labeler=KNNLabeler(1), unlabeled_weight=0.0),
    "linear, more": SSRLPL(2, labeler=LogisticRegression(), relabel_rounds=1),
    "kernel": KernelSSRLPL(),
    "kernel, whitened": KernelSSRLPL(labeler=GraphLabeler(5), constraint="whitened", rho=1e-4),
    "kernel, more": KernelSSRLPL(5, kernel="laplacian", relabel_rounds=2),
    "kernel, polynomial": KernelSSRLPL(kernel="polynomial", degree=2, unlabeled_weight=0.5),
    "kernel, spreading": KernelSSRLPL(labeler=LabelSpreading(kernel="knn", n_neighbors=7)),
    "classifier": SSRLPLClassifier(),
    "search": SSRLPLCV(),
}
LEFT_OUT = ("knn", "graph", "linear", "linear, whitened", "kernel", "kernel, whitened")
METHODS = ("transform", "predict", "predict_proba", "decision_function", "label_distributions_")
SEARCH = ("loo_error_", "nested_error_", "labeled_only_error_", "loo_probabilities_", "verdict_")


def _fitted(name, X, y):
    model = clone(ESTIMATORS[name]).fit(X, y)
    for method in METHODS:
        if hasattr(model, method):
            value = getattr(model, method)
            yield method, value(X) if callable(value) else value
    if name == "search":
        for attribute in SEARCH:
            yield attribute, getattr(model, attribute)
        yield "words", [*model.cv_results_["candidate"], *model.cv_results_["role"]]
        yield "said", [model.summary(), model.compared_in_words()]


def _certified(X, y, search):
    for method in ("calibration", "loo"):
        found = ssrlpl.certify(KernelSSRLPL(), X, y, method=method, third_opinion=search)
        for name, value in found.to_dict().items():
            if name not in NOT_COMPARED:
                yield f"{method}: {name}", value
        for part in (found.comparison, found.wta_error):
            yield f"{method}: {type(part).__name__}", [*map(float, vars(part).values())]
        yield f"{method}: said", [found.headline(), str(found), found.verdict]
        rate = ssrlpl.wta_error(KNNLabeler(), X, y, method=method)
        yield f"{method}: wta", [rate.estimate, rate.low, rate.high]


def _answers(X, y):
    """Yield the name of a question and a function that answers it."""
    for name in ESTIMATORS:
        yield name, lambda name=name: dict(_fitted(name, X, y))
    for name in LEFT_OUT:
        yield f"loo {name}", lambda name=name: ssrlpl.loo_predict(ESTIMATORS[name], X, y)
    yield "certify", lambda: dict(_certified(X, y, SSRLPLCV().fit(X, y)))
    yield "next", lambda: ssrlpl.label_next(KernelSSRLPL(), X, y, n=5)
    yield (
        "weights",
        lambda: KernelSSRLPL().fit(X, y, sample_weight=1 + np.arange(X.shape[0]) % 3).transform(X),
    )
    yield (
        "precomputed",
        lambda: KernelSSRLPL(kernel="precomputed").fit(rbf_kernel(X), y).transform(rbf_kernel(X)),
    )
    yield "hsic", lambda: [ssrlpl.hsic(X, np.arange(X.shape[0]) % 3)]
    yield "refused", lambda: SSRLPL(n_components=-1).fit(X, y)
    yield "no labeler", lambda: SSRLPL(labeler=KNeighborsClassifier).fit(X, y)
    yield "too many", lambda: KernelSSRLPL(9, constraint="whitened").fit(X, y)


def record():
    """Return answers, errors and warnings by the name of input and question."""
    found = {}
    for table, X, y in inputs():
        for question, answer in _answers(X, y):
            key = f"{table} | {question}"
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    value = answer()
                except (ValueError, TypeError) as error:
                    value = f"{type(error).__name__}: {error}"
            parts = value if isinstance(value, dict) else {"": value}
            found |= {f"{key} | {part}": np.asarray(v) for part, v in parts.items()}
            found[f"{key} | warnings"] = np.array(sorted({str(w.message) for w in caught}), str)
    return found


def compare(old, new):
    """Print what differs and return how many answers do; bits, rounding and words told apart."""
    counts = dict.fromkeys(("equal to the bit", "equal to 1e-12", "different"), 0)
    print("not asked before:", sorted({key.split("|", 1)[1] for key in new.keys() - old.keys()}))
    for key in sorted(old):
        if key not in new:
            kind = "different"
        elif np.array_equal(a := old[key], b := new[key], equal_nan=a.dtype.kind == "f"):
            kind = "equal to the bit"
        elif a.dtype.kind == b.dtype.kind == "f" and a.shape == b.shape:
            scale = max(1.0, float(np.nanmax(np.abs(a), initial=0)))
            loose = TOLERANCE if a.dtype == np.float64 else 1e-6
            close = np.allclose(a, b, rtol=0, atol=loose * scale, equal_nan=True)
            kind = "equal to 1e-12" if close else "different"
        else:
            kind = "different"
        counts[kind] += 1
        if kind != "equal to the bit":
            print(f"{kind}: {key}")
            if kind == "different":
                print(f"   old {old.get(key)!s:.300}\n   new {new.get(key)!s:.300}")
    print(counts)
    return counts["different"]


if __name__ == "__main__":
    task, path = sys.argv[1:]
    answers = record()
    if task == "record":
        np.savez_compressed(
            path, **{k: v if v.dtype.kind != "O" else v.astype(str) for k, v in answers.items()}
        )
    else:
        with np.load(path) as before:
            again = {k: v if v.dtype.kind != "O" else v.astype(str) for k, v in answers.items()}
            sys.exit(bool(compare(dict(before), again)))
