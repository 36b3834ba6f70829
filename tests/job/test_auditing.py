"""How many of the filled-in labels are right, as the first thing a job says."""

import json

import numpy as np
import pytest

import ssrlpl
from ssrlpl import SSRLPLClassifier
from ssrlpl._utils import limits
from ssrlpl.job import write_results
from table_samples import job_on, pd, table


def job(frame, folder, **options):
    return job_on(frame, folder, **{"method": "linear"} | options)


def with_audit_column(frame, count, seed=0, mark=("1", "")):
    labeled = np.random.default_rng(seed).permutation(np.flatnonzero(frame["label"].notna()))
    marks = np.full(len(frame), mark[1], dtype=object)
    marks[labeled[:count]] = mark[0]
    return frame.assign(checked=marks)


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    frame, truth = table("digits", keep=500)
    found = job(frame, tmp_path_factory.mktemp("digits"), method="kernel", certify=None)
    return frame, truth.astype(int), *found


def test_the_first_line_and_the_numbers_say_the_same(digits):
    _, _, fitted, summary = digits
    found = summary["label_certificate"]
    least = int(100 * (1 - found["error_upper"]))
    assert summary["first_line"].startswith(f"At least {least} of 100 filled-in labels are right")
    assert f"{found['n_accepted']:,} rows can be taken as they are" in summary["first_line"]
    hidden = "300 of the 500 labels were hidden from a model of the other 200, which was wrong"
    assert found["how_measured"].startswith(hidden)
    assert not found["is_about_delivered_model"]
    assert found["error_estimate"] <= found["error_upper"]
    assert f"best guess {found['best_guess']};" in summary["first_line"]
    assert found["n_accepted"] == fitted.accepted.sum() > 0
    assert sum(cell["count"] for line in found["confusion"] for cell in line) == 300
    diagonal = sum(found["confusion"][c][c]["count"] for c in range(10))
    assert found["n_wrong"] == 300 - diagonal
    assert all(q["recall"]["low"] <= q["recall"]["estimate"] for q in found["quality"])
    json.dumps(summary, allow_nan=False)


def test_the_bound_is_about_the_labels_that_are_delivered(digits):
    """Where they are not those of the model that was checked, they may be wrong."""
    _, _, fitted, summary = digits
    certified, found = fitted.certified, summary["label_certificate"]
    n_other = int((fitted.labels[certified.rows] != certified.labels).sum())
    assert n_other
    differing = f"the {n_other} rows where it says something else count as wrong"
    assert f"come from a second model, of all 500: {differing}" in found["how_measured"]
    assert found["how_measured"].endswith("The best guess is about the first model.")
    assert found["error_upper"] == certified.error_upper + n_other / certified.n_filled_in


def test_a_published_method_is_certified_as_it_was_fitted(tmp_path):
    """To all rows, the unlabeled ones too: it is the model that labels the rows."""
    frame, _ = table("wine", keep=100)
    frame = with_audit_column(frame, 60)
    fitted, summary = job(frame, tmp_path, method="harmonic", audit="checked")
    assert summary["label_certificate"]["is_about_delivered_model"]
    assert fitted.certified.labels.tolist() == fitted.labels[fitted.certified.rows].tolist()


def test_the_best_guess_is_about_the_labels_that_are_delivered(tmp_path):
    """Those of a model of all labels: by left-out labels, and its rivals by the same ones."""
    frame, _ = table("breast_cancer", keep=60)
    fitted, summary = job(frame, tmp_path, method="auto", certify=None)
    search, found = fitted.model["model"], summary["label_certificate"]
    assert (fitted.labels[fitted.certified.rows] != fitted.certified.labels).any()
    assert found["error_estimate"] == search.nested_error_ != fitted.certified.error_estimate
    board = {row["name"]: row["loo_error"] for row in search.score_board_}
    assert found["baselines"] == {name: board[name] for name in found["baselines"]}
    assert f"best guess {100 - 100 * search.nested_error_:.0f}; always" in summary["first_line"]
    assert found["how_measured"].endswith("The best guess leaves out one label at a time.")


def test_the_best_guess_is_of_all_labels_also_where_both_models_say_the_same(tmp_path):
    """Else the largest class would have another size than it has beside the left-out error."""
    rng, truth = np.random.default_rng(0), np.repeat(["a", "b", "c"], [30, 20, 10])
    frame = pd.DataFrame({"x": rng.normal(size=60) * 0.1, "y": rng.normal(size=60) * 0.1})
    frame["x"] += 9.0 * (truth == "a")
    frame["y"] += 9.0 * (truth == "b")
    frame["label"] = truth
    labeled = rng.permutation(60)[:36]
    frame.loc[np.setdiff1d(np.arange(60), labeled), "label"] = None
    fitted, summary = job(frame, tmp_path, method="auto")
    search, found = fitted.model["model"], summary["label_certificate"]
    assert (fitted.labels[fitted.certified.rows] == fitted.certified.labels).all()
    assert search.nested_error_ == found["error_estimate"] == 0
    board = {row["name"]: row["loo_error"] for row in summary["selection"]["score_board"]}
    assert found["baselines"]["largest class"] == board["largest class"]
    assert "best guess 97; always saying 'a' would be right for" in summary["first_line"]
    assert found["best_guess"] == 97  # as if one of two more were wrong
    assert "all 36, which says the same in every row without a label." in found["how_measured"]
    assert found["how_measured"].endswith("best guess supposes that one of two more would.")


def test_rows_to_look_at_begin_with_the_least_sure_as_shown(digits):
    shown = [doubt["probability"] for doubt in digits[3]["label_certificate"]["to_check"]]
    assert shown == sorted(shown)


def test_how_many_rows_to_check_is_said_with_or_without_a_certificate(digits, tmp_path):
    assert 50 < digits[3]["n_to_audit"] < 80
    frame, _ = table("breast_cancer", keep=60)
    assert 50 < job(frame, tmp_path, audit="none")[1]["n_to_audit"] < 80
    assert job(frame[frame["label"].notna()], tmp_path)[1]["n_to_audit"] is None


def test_what_is_written_as_accepted_is_what_was_certified(digits, tmp_path):
    frame, truth, fitted, summary = digits
    write_results(tmp_path, fitted, summary)
    labels = pd.read_csv(tmp_path / "labels.csv")
    accepted = labels["accepted"].to_numpy()
    assert not accepted[frame["label"].notna()].any()
    assert (labels["label"][accepted] != truth[accepted]).mean() <= 0.05
    rows = {str(row) for row in np.flatnonzero(~accepted & ~labels["given"])}
    assert {doubt["row"] for doubt in summary["label_certificate"]["to_check"]} <= rows


def test_labels_and_model_file_are_of_one_model(digits, tmp_path):
    """The one that is delivered; rows in which the certified one says another label wait."""
    frame, _, fitted, summary = digits
    write_results(tmp_path, fitted, summary)
    labels = pd.read_csv(tmp_path / "labels.csv")
    unlabeled = frame["label"].isna().to_numpy()
    model = ssrlpl.load(tmp_path / "model.ssrlpl")
    said = model.predict(frame.drop(columns="label"))
    assert np.array_equal(labels["label"][unlabeled], said[unlabeled].astype(int))
    certified = fitted.certified
    differ = certified.rows[certified.labels != fitted.labels[certified.rows]]
    assert len(differ)
    assert not fitted.accepted[differ].any()
    assert certified.accept()[np.isin(certified.rows, differ)].any()  # it was sure of some of them


@pytest.mark.parametrize("mark", [("1", "0"), ("yes", "no"), ("x", ""), ("True", "False")])
def test_a_column_of_audited_rows_only_measures(mark, tmp_path):
    frame, _ = table("breast_cancer", keep=200)
    marked = with_audit_column(frame, 120, mark=mark)
    fitted, summary = job(marked, tmp_path, audit="checked", certify=None)
    found = summary["label_certificate"]
    assert (found["n_teaching"], found["n_audited"]) == (80, 120)
    assert found["is_about_delivered_model"]
    assert "checked" not in summary["data"]["columns_used"]
    hidden = "120 of the 200 labels were hidden from a model of the other 80, which was wrong"
    assert found["how_measured"].startswith(hidden)
    assert found["how_measured"].endswith("of them. The labels are those of this model.")
    unlabeled = ~fitted.target.is_labeled
    assert np.array_equal(fitted.labels[unlabeled], fitted.certified.labels)  # the same model
    assert summary["verdict"] is None


@pytest.mark.parametrize("method", ["auto", "linear"])
def test_the_map_is_measured_on_marked_rows_only(method, tmp_path):
    """The others may have been chosen; the search did not learn from all labels."""
    frame, _ = table("breast_cancer", keep=200)
    marked = with_audit_column(frame, 120)
    summary = job(marked, tmp_path, method=method, audit="checked", certify=None)[1]
    assert summary["certificate"]["n_calibration"] == 120
    assert summary["certificate"]["assumptions"][0].startswith("The audit rows are a random")


def test_audited_labels_do_not_reach_the_delivered_model(tmp_path):
    frame, _ = table("breast_cancer", keep=100)
    marked = with_audit_column(frame, 50)
    wrong = marked.copy()
    audited = wrong["checked"] == "1"
    wrong.loc[audited, "label"] = wrong.loc[audited, "label"].map(
        {"benign": "malignant", "malignant": "benign"}
    )
    (right, _), (flipped, said) = (
        job(f, tmp_path, audit="checked") for f in (marked, wrong)
    )  # fmt: skip
    assert np.array_equal(right.predictions.code, flipped.predictions.code)
    assert flipped.accepted is None or not flipped.accepted.any()
    assert "can be taken as they are" not in said["first_line"]


def test_teaching_rows_may_be_chosen_but_audited_ones_may_not(tmp_path):
    frame, truth = table("breast_cancer", keep=0.1)
    order = np.argsort(frame["mean radius"].to_numpy())
    random = np.random.default_rng(1).permutation(order[40:-40])[:150]
    for audited, certified in ((random, True), (order[40:120], False)):
        chosen = np.concatenate([order[:40], order[-40:]])
        labels = np.full(len(frame), None, dtype=object)
        labels[chosen], labels[audited] = truth[chosen], truth[audited]
        marks = np.isin(np.arange(len(frame)), audited).astype(int)
        _, summary = job(frame.assign(label=labels, checked=marks), tmp_path, audit="checked")
        assert (summary["label_certificate"] is not None) == certified
        assert ("audited rows are not like the others" in summary["first_line"]) != certified


def test_a_class_that_only_audits_is_learned_nevertheless(tmp_path):
    frame, _ = table("wine", keep=90)
    marked = with_audit_column(frame, 45)
    teaches = (marked["checked"] == "") & (marked["label"] == "class_2")
    marked.loc[teaches, "label"] = None
    fitted, summary = job(marked, tmp_path, audit="checked")
    assert set(fitted.model["model"].classes_) == set(fitted.target.classes)
    assert not fitted.delivers_certified
    assert (
        "cannot be certified" in summary["first_line"]
        or "'class_2', so that such rows count" in summary["label_certificate"]["how_measured"]
    )


def test_a_certificate_costs_one_more_fit(tmp_path, monkeypatch):
    calls, whole = [], SSRLPLClassifier.fit
    monkeypatch.setattr(
        SSRLPLClassifier, "fit", lambda self, *a, **k: calls.append(1) or whole(self, *a, **k)
    )
    frame, _ = table("wine", keep=90)
    job(frame, tmp_path, certify=None)
    assert len(calls) == 2
    job(frame, tmp_path, audit="none")
    assert len(calls) == 3
    job(frame, tmp_path, audit_splits=3)
    assert len(calls) == 3 + 1 + 3


def test_the_best_of_several_divisions_is_told_and_paid_for(digits, tmp_path):
    frame, _, fitted, summary = digits
    again, divided = job(frame, tmp_path, method="kernel", audit_splits=4)
    found = again.certified
    assert len(found.wrong_by_split) == 4
    assert found.n_wrong == min(found.wrong_by_split)
    assert found.wrong_by_split[0] == fitted.certified.n_wrong  # the first is the same draw
    words = "It is the best of 4 such models; the “at least” pays for that choice."
    assert words in divided["label_certificate"]["how_measured"]
    assert words not in summary["label_certificate"]["how_measured"]
    delivered = again.labels[found.rows]
    assert np.array_equal(again.accepted[found.rows], found.accept(labels=delivered))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"audit": "none"}, "switched off with --audit none"),
        ({"certify": False}, "switched off with --no-certify"),
    ],
)
def test_no_certificate_is_explained_in_one_sentence(options, words, tmp_path):
    _, summary = job(table("wine", keep=90)[0], tmp_path, **options)
    assert summary["first_line"].startswith("The filled-in labels have no certificate. It was")
    assert words in summary["first_line"]
    assert summary["label_certificate"] is None


def test_the_map_of_a_large_table_is_certified_on_request_its_labels_always(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "CERTIFY_ROWS", 100)
    frame, _ = table("wine", keep=90)
    summary = job(frame, tmp_path, certify=None)[1]
    assert "ask for it with --certify" in summary["certificate_reason"]
    assert summary["label_certificate"]["n_audited"] == 45
    assert job(frame, tmp_path, certify=True)[1]["certificate"] is not None


def test_three_labels_cannot_be_divided(tmp_path):
    frame, truth = table("wine")
    rows = [0, 1, 100]
    frame["label"] = np.where(np.isin(np.arange(len(frame)), rows), truth, None)
    _, summary = job(frame, tmp_path)
    assert "cannot be certified" in summary["first_line"]
    assert summary["label_certificate"] is None


@pytest.mark.parametrize(
    ("audit", "marks", "words"),
    [
        ("checkd", "some", "did you mean 'checked'"),
        ("1.5", "some", "a share between 0 and 1"),
        ("checked", "unlabeled", "rows without a label, the first is row"),
        ("checked", "none", "marks no row"),
        ("checked", "labeled", "none is left to learn from"),
    ],
)
def test_columns_and_shares_that_cannot_be(audit, marks, words, tmp_path):
    frame, _ = table("wine", keep=60)
    labeled = frame["label"].notna().to_numpy()
    marked = {"some": labeled & (np.arange(len(frame)) % 2 == 0), "unlabeled": ~labeled,
              "none": labeled & False, "labeled": labeled}[marks]  # fmt: skip
    with pytest.raises(ValueError, match=words):
        job(frame.assign(checked=marked.astype(int)), tmp_path, audit=audit)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"audit": "checked", "audit_splits": 2}, "leave one of them out"),
        ({"audit_splits": 0}, "--audit-splits must be larger than zero. Got 0"),
    ],
)
def test_divisions_that_cannot_be(options, words, tmp_path):
    frame = with_audit_column(table("wine", keep=60)[0], 30)
    with pytest.raises(ValueError, match=words):
        job(frame, tmp_path, **options)
