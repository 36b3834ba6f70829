"""What a job says it found."""

from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.datasets import load_wine

from ssrlpl import SSRLPLCV, SSRLPLClassifier
from ssrlpl._utils import limits
from ssrlpl.job import (
    FitOptions,
    ReadOptions,
    auditing,
    fit_table,
    report_arrays,
    summarize,
    summarizing,
)
from ssrlpl.job.estimators import how_long
from table_samples import job_on, table


def test_a_search_is_told_candidate_by_candidate(tmp_path):
    summary = job_on(table("wine")[0], tmp_path)[1]
    rows = summary["selection"]["rows"]
    (winner,) = [row for row in rows if row["role"] == "winner"]
    assert winner["loo_error"] == summary["selection"]["loo_error"]
    assert len({row["candidate"] for row in rows}) == len(rows) > 10
    assert all(0 <= row["loo_error"] <= 1 for row in rows)
    assert winner["candidate"] in summary["method"]["summary"]
    assert f"error of {summary['selection']['nested_error']:.1%}" in summary["headline"]
    compared = summary["selection"]["comparison"]
    assert compared["with_unlabeled"] == summary["selection"]["loo_error"]
    assert summary["certificate"]["voids"]  # 18 labels: no verdict either
    assert summary["verdict"] is None
    assert summary["certificate"]["voids"][0] not in summary["headline"]  # the map: for experts
    assert summary["first_line"].startswith("At least")


def test_a_search_with_more_labels_gives_its_own_verdict(tmp_path):
    X, classes = load_wine(return_X_y=True, as_frame=True)
    frame = X.assign(label=classes.where(np.arange(len(X)) % 3 == 0))
    summary = job_on(frame, tmp_path)[1]
    assert not summary["certificate"]["voids"]
    compared = summary["selection"]["comparison"]
    decided = "helps" if compared["gain"] > 0 else "hurts"
    assert summary["verdict"] == (decided if compared["p_value"] <= 0.05 else "undecided")
    assert "unlabeled rows" in summary["headline"]


def test_a_class_that_only_teaches_makes_the_certificate_weak_and_no_more(tmp_path):
    frame, _ = table("wine", keep=60)
    rare = frame.index[frame["label"] == "class_2"]
    frame.loc[rare[1:], "label"] = None
    weak = []
    for seed in range(6):  # the only label of class_2 is set aside, or it is not
        certificate = job_on(frame, tmp_path, method="linear", seed=seed)[1]["certificate"]
        assert certificate["method"] == "calibration"
        assert not any("No calibration row" in void for void in certificate["voids"])
        weak.append(certificate["weak"])
    assert {len(reasons) for reasons in weak} == {0, 1}
    assert all("No calibration row has class class_2" in reason for w in weak for reason in w)


def test_too_few_labels_for_a_certificate_do_not_stop_the_job(tmp_path):
    frame, _ = table("wine")
    kept = frame.dropna().groupby("label").head(1).index
    frame.loc[frame.index.difference(kept), "label"] = None
    summary = job_on(frame, tmp_path, method="linear", neighbors=1)[1]
    assert summary["verdict"] is None
    voids = (summary["certificate"] or {}).get("voids") or [summary["certificate_reason"]]
    assert voids
    assert all(isinstance(reason, str) for reason in voids)


def test_classes_are_shown_as_people_count_them(tmp_path):
    X, classes = load_wine(return_X_y=True, as_frame=True)
    frame = X.assign(label=classes.map({0: "k10", 1: "k2", 2: "k1"}))
    frame.loc[np.arange(len(X)) % 3 > 0, "label"] = None
    fitted, summary = job_on(frame, tmp_path)
    arrays = report_arrays(fitted)
    names = summary["data"]["classes"]
    assert names == ["k1", "k2", "k10"]
    counts = frame["label"].value_counts()
    assert summary["data"]["labels_per_class"] == [counts[name] for name in names]
    given = [names[code] if code >= 0 else "" for code in arrays["given"]]
    assert given == frame["label"].fillna("").tolist()
    written = [names[code] for code in arrays["predicted"]]
    assert [written[row] for row in (1, 70, 160)] == ["k10", "k2", "k1"]
    certified = summary["label_certificate"]
    assert [row["label"] for row in certified["quality"]] == names
    right = [certified["confusion"][c][c]["count"] for c in range(3)]
    assert right == [row["recall"]["count"] for row in certified["quality"]]


class Recorded:
    """Steps that remember whether one is under way."""

    def __init__(self):
        self.under_way, self.said = 0, []

    @contextmanager
    def step(self, label, total=None):
        self.under_way += 1
        yield lambda amount: None
        self.under_way -= 1

    def say(self, text):
        self.said.append(text)


def test_all_that_takes_time_is_shown_as_a_step(tmp_path, monkeypatch):
    steps, seen = Recorded(), {}

    def watched(module, name):
        before = getattr(module, name)

        def call(*args, **options):
            seen.setdefault(name, []).append(steps.under_way)
            return before(*args, **options)

        monkeypatch.setattr(module, name, call)

    watched(SSRLPLClassifier, "fit")
    watched(auditing, "first_words")
    watched(auditing, "certify_labels")
    watched(summarizing, "_certificate")
    table("wine")[0].to_csv(tmp_path / "table.csv", index=False)
    asked = FitOptions(ReadOptions(str(tmp_path / "table.csv")), "label", method="linear")
    summarize(fit_table(asked, steps), asked, steps)
    assert set(seen) == {"fit", "first_words", "certify_labels", "_certificate"}
    assert all(count == 1 for counts in seen.values() for count in counts)
    assert steps.under_way == 0


def test_many_classes_are_told_the_time_before_the_search(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "TOLD_CLASSES", 2)
    table("wine")[0].to_csv(tmp_path / "table.csv", index=False)
    steps = Recorded()

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(SSRLPLCV, "fit", stop)
    asked = FitOptions(ReadOptions(str(tmp_path / "table.csv")), "label")
    with pytest.raises(KeyboardInterrupt):
        fit_table(asked, steps)
    assert steps.said == [how_long(3, 1)]
    assert "1,000 classes: the search takes about 50 seconds" in how_long(1000, 0)
    assert "certify its labels take about 2 minutes" in how_long(1000, 1)
