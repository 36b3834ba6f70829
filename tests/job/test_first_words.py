"""What takes the figures back is said before any figure."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from ssrlpl.job.first_words import no_better_than_guessing
from table_samples import job_on, pd, table


def test_labels_without_any_relation_to_the_columns(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    frame["label"] = np.where(np.arange(200) % 3 > 0, rng.choice(["x", "y", "z"], 200), None)
    summary = job_on(frame, tmp_path)[1]
    (warning,) = summary["warnings"]
    assert warning.startswith("This is no better than guessing, as far as 133 labels can tell")
    assert summary["verdict"] is None
    assert "%" not in summary["headline"] + summary["first_line"]
    assert "look no better than always saying" in summary["first_line"]
    assert summary["label_certificate"] is None  # nothing on noise is to be taken


def test_only_columns_that_differ_are_named(tmp_path):
    rng = np.random.default_rng(0)
    age, other = rng.normal(size=400), rng.normal(size=(2, 400))
    label = np.where(age > 0, np.where(other[0] > 0, "yes", "no"), None)
    frame = pd.DataFrame({"age": age, "visits": other[0], "income": other[1], "label": label})
    warned = job_on(frame, tmp_path, certify=False)[1]["warnings"][0]
    assert "'age' higher by" in warned
    assert "visits" not in warned
    assert "income" not in warned


def test_labeled_rows_that_are_not_like_the_others(tmp_path):
    frame, truth = table("wine")
    frame["label"] = np.where(np.arange(len(frame)) < 100, truth, None)  # sorted: two classes
    summary = job_on(frame, tmp_path, certify=False)[1]
    assert summary["warnings"][0].startswith("The labeled rows are not like the others: nothing")
    assert "'hue' higher by" in summary["warnings"][0]
    assert "%" not in summary["headline"] + summary["first_line"]
    assert "cannot be certified: the labeled rows are not like" in summary["first_line"]


def test_one_label_a_class(tmp_path):
    frame, truth = table("wine")
    first = [int(np.flatnonzero(truth == name)[0]) for name in sorted(set(truth))]
    frame["label"] = np.where(np.isin(np.arange(len(frame)), first), truth, None)
    summary = job_on(frame, tmp_path)[1]
    assert any("single label: the error" in w for w in summary["warnings"])
    assert "cannot be estimated from these labels" in summary["first_line"]
    assert summary["label_certificate"] is None


@pytest.mark.parametrize("name", ["wine", "breast_cancer"])
def test_nothing_is_said_of_an_ordinary_table(name, tmp_path):
    assert job_on(table(name)[0], tmp_path, certify=False)[1]["warnings"] == []


def test_a_class_that_nobody_labeled(tmp_path):
    X, y = make_blobs(300, centers=4, n_features=4, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcd"))
    labeled = np.random.default_rng(0).permutation(np.flatnonzero(y != 2))[:40]
    frame["label"] = np.where(np.isin(np.arange(300), labeled), y.astype(str), None)
    summary = job_on(frame, tmp_path, certify=False)[1]
    assert "Nobody labeled a row of a group of 75 of 300 rows" in summary["warnings"][1]
    named = summary["warnings"][1].rpartition("such as ")[2].rstrip(".").split(", ")
    assert {y[int(row)] for row in named} == {2}
    assert "cannot be certified" in summary["first_line"]
    assert "%" not in summary["headline"] + summary["first_line"]


@pytest.mark.parametrize(("error", "is_said"), [(0.42, True), (0.35, False)])
def test_an_error_must_be_clearly_below_that_of_guessing(error, is_said):
    """Of 60 labels, half of each class: 0.5 less 1.64 standard errors is 0.39."""
    fitted = SimpleNamespace(
        model={"model": SimpleNamespace(nested_error_=error)},
        target=SimpleNamespace(labels_per_class=[30, 30], class_names=["a", "b"]),
    )
    assert bool(no_better_than_guessing(fitted)) == is_said
