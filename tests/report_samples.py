"""Summaries and arrays for the report: one from a real fit, one as nasty as a table can be."""

import sys

import numpy as np
import sklearn
from sklearn.datasets import load_digits

import ssrlpl
from ssrlpl import KernelSSRLPL, certify
from ssrlpl.datasets import hide_labels

NASTY = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "'\"><svg/onload=document.title='owned'>",
    "&lt;already&gt; & <b>bold</b>",
    "<a href=\"javascript:document.title='owned'\">link</a>",
    "line\u2028and\u2029paragraph",
    "half a pair \ud800, a bell \x07, right to left \u202e abc",
    "%{customdata} ${style} $payload {{x}}",
    "",
    "long " * 80,
]


def digits(n_rows=600, n_labels=200, method="calibration"):
    """Return summary and arrays of a real fit on handwritten digits."""
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:n_rows], truth[:n_rows]
    y = hide_labels(truth, keep=n_labels, random_state=0)
    certificate = certify(KernelSSRLPL(), X, y, method=method)
    model = KernelSSRLPL().fit(X, y)
    arrays = _arrays(model.transform(X), y, model.label_distributions_)
    arrays["hover"] = {"mean ink": [f"{row.mean():.2f}" for row in X], "writer": ["a"] * n_rows}
    summary = _summary(arrays, [str(c) for c in model.classes_], model.label_distributions_)
    summary["features"] = _correlations(X, arrays["representation"])
    summary["certificate"] = certificate.to_dict() | {
        "headline": certificate.headline(),
        "table": certificate.table().to_dict(),
    }
    summary["certificate_reason"] = (
        "The certificate is about the map fitted without the calibration labels."
    )
    summary["headline"] = (
        f"{n_rows - n_labels:,} of {n_rows:,} rows had no label and got one.\n"
        + certificate.headline().splitlines()[1]
    )
    summary["verdict"] = certificate.verdict
    return with_label_certificate(summary), arrays


def invented(n_rows=60, n_components=3, names=("a", "b", "c"), seed=0):
    """Return summary and arrays of made-up rows: any size, any names, no certificate."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_rows) % len(names)
    centers = rng.normal(size=(len(names), n_components)) * 3
    Y = rng.dirichlet(np.ones(len(names)), n_rows) * 0.6
    Y[np.arange(n_rows), truth] += 0.4
    y = np.where(rng.random(n_rows) < 0.2, truth, -1)
    arrays = _arrays(rng.normal(size=(n_rows, n_components)) + centers[truth], y, Y)
    summary = _summary(arrays, list(names), Y)
    summary["features"] = _correlations(rng.normal(size=(n_rows, 6)), arrays["representation"])
    return summary, arrays


def nasty():
    """Return summary and arrays in which every string of the table tries to be more than text."""
    summary, arrays = invented(n_rows=80, names=tuple(NASTY))
    name = NASTY[0]
    summary["data"] |= {"name": name, "target": name, "columns_used": NASTY, "notes": NASTY}
    summary["data"]["columns_dropped"] = NASTY
    summary |= {
        "warnings": NASTY[:3],
        "headline": "\n".join(NASTY),
        "command": f"ssrlpl fit '{name}'",
        "created": name,
    }
    summary["certificate_reason"] = name
    summary["method"] = {"name": name, "summary": name, "params": {name: name}, "n_components": 3}
    for component in summary["features"]["components"]:
        for feature, text in zip(component["features"], NASTY, strict=False):
            feature["name"] = text
    for row in summary["selection"]["rows"]:
        row["candidate"] = name
    arrays["row"] = [NASTY[i % len(NASTY)] + str(i) for i in range(80)]
    arrays["hover"] = {text: [text] * 80 for text in NASTY[:6]}
    for doubt in summary["labels"]["doubtful"]:
        doubt["row"] = arrays["row"][int(doubt["row"])]
    summary = with_lists(with_label_certificate(summary), arrays)
    for row in (*summary["suspects"]["rows"], *summary["next_rows"]):
        row["cells"] = dict.fromkeys(NASTY, NASTY[1])
    summary["data"]["preview"] |= {"columns": NASTY[:2], "rows": [NASTY[:2], NASTY[2:4]]}
    return summary | {"first_line": name}, left_out(arrays)


def with_label_certificate(summary, n_each=20, n_accepted=None):
    """Return a summary with made-up audited rows: of each class one is taken for the next."""
    names, n_filled_in = summary["data"]["classes"], summary["data"]["n_unlabeled"]
    counts = np.diag(np.full(len(names), n_each - 1)) + np.roll(np.eye(len(names), dtype=int), 1, 1)
    n_audited = int(counts.sum())
    certificate = {
        "confidence": 0.95,
        "error_upper": 0.0912,
        "error_estimate": 1 / n_each,
        "best_guess": 95,
        "baselines": {"largest class": 0.9, "logistic regression": None},
        "largest_class": names[0],
        "n_teaching": 40,
        "n_audited": n_audited,
        "n_wrong": len(names),
        "n_filled_in": n_filled_in,
        "max_error_of_accepted": 0.05,
        "n_accepted": n_filled_in - 10 if n_accepted is None else n_accepted,
        "is_about_delivered_model": False,
        "how_measured": "20 of the 40 labels were hidden from a model of the other 20.",
        "labels_needed": {"error": None},
        "notes": [f"No audit row has class {names[0]}."],
        "quality": [
            {"label": name, "precision": _share(n_each - 1, n_each), "recall": _share(0, 0)}
            for name in names
        ],
        "confusion": [[_share(int(n), n_audited) for n in line] for line in counts],
        "to_check": summary["labels"]["doubtful"],
    }
    line = "At least 90 of 100 filled-in labels are right. Look at these 10."
    return summary | {"first_line": line, "label_certificate": certificate}


def with_lists(summary, arrays, n_suspects=3):
    """Return a summary with suspect labels, rows to label next and a preview, all with cells."""
    names, row, given = summary["data"]["classes"], arrays["row"], np.asarray(arrays["given"])
    cells = {"=note": "=1+1", "size": "-3"}
    suspects = [
        {"row": row[i], "given": names[given[i]], "likely": names[given[i] - 1],
         "probability": 0.9, "given_probability": 0.01, "cells": cells}
        for i in np.flatnonzero(given >= 0)[:n_suspects]
    ]  # fmt: skip
    lists = {
        "suspects": {
            "reason": None, "n_found": n_suspects, "n_checked": int((given >= 0).sum()),
            "rows": suspects,
        },
        "next_rows": [doubt | {"cells": cells} for doubt in summary["labels"]["doubtful"]],
    }  # fmt: skip
    preview = {"columns": ["=note", "size"], "n_columns": 5, "row": row[:2],
               "rows": [["=1+1", ""], ["<b>", "2"]]}  # fmt: skip
    return summary | lists | {"data": summary["data"] | {"preview": preview}}


def left_out(arrays, n_suspects=3):
    """Return arrays in which leave-one-out gets the first labeled rows wrong."""
    found = np.asarray(arrays["given"]).copy()
    first = np.flatnonzero(found >= 0)[:n_suspects]
    found[first] = (found[first] - 1) % (found.max() + 1)
    return arrays | {"left_out": found}


def _share(count, trials):
    share = count / trials if trials else None
    low, high = (max(share - 0.1003, 0), min(share + 0.1003, 1)) if trials else (0, 1)
    return {"estimate": share, "low": low, "high": high, "count": count, "trials": trials}


def _arrays(representation, given, Y):
    return {
        "representation": representation.astype(np.float32),
        "given": np.asarray(given),
        "predicted": Y.argmax(axis=1),
        "probability": Y.max(axis=1).astype(np.float32),
        "row": [str(i) for i in range(len(Y))],
        "hover": {},
    }


def _summary(arrays, classes, Y):
    given, n_classes = arrays["given"], len(classes)
    unlabeled = np.flatnonzero(given < 0)
    return {
        "format": 1,
        "created": "2025-01-01T12:00:00+00:00",
        "command": "ssrlpl fit digits.csv --target digit --seed 0",
        "seed": 0,
        "versions": {
            "ssrlpl": ssrlpl.__version__,
            "python": ".".join(map(str, sys.version_info[:3])),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "data": {
            "name": "digits.csv",
            "n_rows": len(given),
            "n_features": 64,
            "n_labeled": int((given >= 0).sum()),
            "n_unlabeled": len(unlabeled),
            "target": "digit",
            "classes": classes,
            "labels_per_class": np.bincount(given[given >= 0], minlength=n_classes).tolist(),
            "columns_used": [f"pixel {i}" for i in range(64)],
            "columns_dropped": ["id"],
            "notes": ["3 columns are constant and were left out."],
        },
        "warnings": [],
        "first_line": "The filled-in labels have no certificate. It was switched off.",
        "headline": "No certificate was asked for.",
        "verdict": None,
        "method": {
            "name": "KernelSSRLPL",
            "summary": "A kernel map on labels voted by the 5 nearest labeled rows.",
            "params": {"kernel": "rbf", "gamma": 0.000833, "n_neighbors": 5, "ridge": None},
            "n_components": arrays["representation"].shape[1],
        },
        "selection": _selection(),
        "certificate": None,
        "certificate_reason": None,
        "features": None,
        "labels": _labels(Y, unlabeled, classes),
    }


def _selection():
    names = [f"kernel map, {k} neighbors, {w}" for k in (1, 3, 5, 10) for w in ("rbf", "cosine")]
    rows = [
        {"candidate": name, "loo_error": 0.055 + 0.006 * i, "standard_error": 0.016, "role": ""}
        for i, name in enumerate(names)
    ]
    rows += [
        {"candidate": "graph labels, kernel map", "loo_error": 0.045, "standard_error": 0.015,
         "role": "winner"},
        {"candidate": "the paper's method as it stands", "loo_error": 0.07,
         "standard_error": 0.018, "role": "plain"},
        {"candidate": "labeled rows only", "loo_error": 0.085, "standard_error": 0.02,
         "role": "labeled-only"},
    ]  # fmt: skip
    comparison = {
        "with_unlabeled": 0.045, "without_unlabeled": 0.085, "only_with": 2, "only_without": 9,
        "trials": 179, "p_value": 0.03, "gain": 0.04, "standard_error": 0.018,
    }  # fmt: skip
    errors = {"SSRLPLCV": 0.06, "labeled rows only": 0.085, "logistic regression": 0.11,
              "largest class": 0.62}  # fmt: skip
    board = [{"name": k, "loo_error": v, "standard_error": 0.02} for k, v in errors.items()]
    return {
        "rows": rows, "loo_error": 0.045, "nested_error": 0.06, "uses_unlabeled": True,
        "comparison": comparison, "score_board": board,
    }  # fmt: skip


def _labels(Y, unlabeled, classes):
    edges = np.linspace(0, 1, 11)
    counts, _ = np.histogram(Y[unlabeled].max(axis=1), edges)
    order = np.sort(Y[unlabeled], axis=1)
    doubtful = unlabeled[np.argsort(order[:, -1] - order[:, -2], kind="stable")[:10]]
    return {
        "mean_probability": float(Y[unlabeled].max(axis=1).mean()),
        "predicted_per_class": np.bincount(
            Y[unlabeled].argmax(axis=1), minlength=len(classes)
        ).tolist(),
        "histogram": {"edges": edges.tolist(), "counts": counts.tolist()},
        "doubtful": [_doubt(row, Y[row], classes) for row in doubtful],
    }


def _doubt(row, shares, classes):
    second, first = np.argsort(shares)[-2:]
    return {
        "row": str(row),
        "label": classes[first],
        "probability": float(shares[first]),
        "second": classes[second],
        "second_probability": float(shares[second]),
    }


def _correlations(X, Z):
    with np.errstate(invalid="ignore", divide="ignore"):
        table = np.nan_to_num(np.corrcoef(X.T, Z.T)[: X.shape[1], X.shape[1] :])
    components = []
    for place, column in enumerate(table.T, start=1):
        top = np.argsort(-np.abs(column))[:15]
        features = [{"name": f"pixel {i}", "weight": float(column[i])} for i in top]
        components.append({"component": place, "features": features})
    return {"kind": "correlation", "components": components}
