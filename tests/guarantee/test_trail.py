"""An audit with a look after every label: bound, order, file."""

import json

import numpy as np
import pytest

from ssrlpl.guarantee import AuditTrail, audit_order
from ssrlpl.guarantee.proportions import most_wrong

PREDICTED = np.array(["yes", "no"] * 100)


def checked(trail, rows, wrong=()):
    for row in rows:
        other = "no" if PREDICTED[row] == "yes" else "yes"
        trail.add(row, other if row in wrong else PREDICTED[row])
    return trail


def test_the_bound_falls_with_right_labels_and_never_rises():
    trail = AuditTrail(PREDICTED)
    assert trail.error_upper == 1
    most = []
    for row in range(200):
        checked(trail, [row], wrong={5, 90})
        most.append(trail.error_upper * (200 - trail.n_checked) + trail.n_wrong)
    assert (np.diff(most) <= 1e-9).all()
    assert trail.error_upper == 0
    assert (trail.n_checked, trail.n_wrong) == (200, 2)
    assert trail.error_estimate == 0.01


def test_one_look_at_the_end_would_say_more():
    trail = checked(AuditTrail(PREDICTED), range(60))
    assert 1.0 < trail.error_upper / (most_wrong(0, 60, 200, 0.05) / 140) < 1.4
    assert not trail.enough(0.05)
    assert trail.enough(0.07)


def test_hard_rows_cannot_be_left_out():
    """Rows after the first unchecked one do not count, so that nobody can choose what counts."""
    order = np.random.default_rng(0).permutation(200)
    trail = checked(AuditTrail(PREDICTED, order=order), order[:30])
    most = round(trail.error_upper * 170)
    checked(trail, order[31:60])
    assert trail.error_upper == most / 141  # the others are fewer now, and no surer
    assert "30 of 200 rows checked, 0 wrong, and 29 out of turn, which do not count" in str(trail)
    assert trail.next_rows(2) == [order[30], order[60]]
    checked(trail, [order[30]])
    in_order = checked(AuditTrail(PREDICTED), order[:60])
    assert trail.error_upper == in_order.error_upper
    assert trail.n_checked == 60


def test_rows_that_were_left_out_may_all_be_wrong():
    """A person who leaves out every hard row checks all others: what is left is wrong."""
    order = np.random.default_rng(0).permutation(200)
    wrong = set(order[[25, 80, 120, 150]].tolist())
    trail = checked(AuditTrail(PREDICTED, order=order), [r for r in order if r not in wrong])
    assert trail.n_checked == 25
    assert trail.error_upper == 1  # 4 of 4
    one = checked(trail, [order[150]], wrong)  # out of turn: known, and not counted
    assert (one.n_checked, one.n_wrong, one.error_upper) == (25, 0, 1)


def test_a_file_goes_on_where_it_ended(tmp_path):
    order = audit_order(np.zeros((200, 1)), [None] * 200, random_state=3)
    trail = checked(AuditTrail(PREDICTED, order=order, confidence=0.9), order[:20], {order[3]})
    trail.save(tmp_path / "audit.json")
    again = AuditTrail.load(tmp_path / "audit.json")
    assert (str(again), again.next_rows(5)) == (str(trail), trail.next_rows(5))
    rest = order[20:50]
    assert checked(again, rest).error_upper == checked(trail, rest).error_upper
    assert list(tmp_path.iterdir()) == [tmp_path / "audit.json"]


@pytest.mark.parametrize(
    "labels", [[1, 2, 3], [True, False, True], [0.5, 1.5, 2.5], ["ä", "b", "\udc80"]]
)
def test_labels_keep_their_type_in_the_file(tmp_path, labels):
    trail = AuditTrail(np.array(labels))
    trail.add(0, np.array(labels)[0])
    trail.save(tmp_path / "audit.json")
    again = AuditTrail.load(tmp_path / "audit.json")
    assert [(type(a), a) for a in again.predicted] == [(type(a), a) for a in labels]
    assert again.n_wrong == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not an audit file"),
        ("[1]", "not an audit file"),
        ('{"ssrlpl-audit": 1, "predicted": []}', "not an audit file"),
        ('{"ssrlpl-audit": 9}', "format 9"),
    ],
)
def test_other_files_are_refused(tmp_path, content, message):
    (tmp_path / "audit.json").write_text(content)
    with pytest.raises(ValueError, match=message):
        AuditTrail.load(tmp_path / "audit.json")


def test_a_hostile_file_is_plain_data(tmp_path):
    """A file with a false bound or a row that is checked twice does not pass."""
    path = tmp_path / "audit.json"
    checked(AuditTrail(PREDICTED), range(10)).save(path)
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"checked": content["checked"] + [[0, "yes"]]}))
    with pytest.raises(ValueError, match="already"):
        AuditTrail.load(path)


@pytest.mark.parametrize(
    ("row", "label", "message"),
    [
        (200, "yes", "one of the rows to check"),
        (-1, "yes", "one of the rows to check"),
        (0, "yes", "already"),
        *((row, "yes", "pass the position of the row") for row in (3.7, 1.0, "1", None, True)),
        (np.True_, "yes", "pass the position of the row"),
        *((1, label, "label like 'no'") for label in (None, ["no"], np.array(["no"]), ("a", "b"))),
        (1, 1, "same type"),
    ],
)
def test_bad_answers_are_named(row, label, message):
    trail = checked(AuditTrail(PREDICTED), [0])
    with pytest.raises(ValueError, match=message):
        trail.add(row, label)
    assert trail.n_checked == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"order": [0, 0, 0, 0, 0, 7]}, "a row twice"),  # one easy row would count five times
        ({"order": [0, 200]}, "row 200"),
        ({"order": [-1, 3]}, "row -1"),
        ({"order": range(200), "n_rows": 50}, "from 200 to 200"),  # bounds 50 rows, not 200
        *(({"order": o}, "must be a list of row numbers") for o in ([1.0, 0], [True], [[0, 1]])),
        ({"n_rows": 201}, "from 1 to 200"),
        ({"n_rows": 0}, "n_rows must be an int"),
    ],
)
def test_an_audit_of_other_rows_than_it_says_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        AuditTrail(PREDICTED, **arguments)


@pytest.mark.parametrize("predicted", [np.full((40, 2), 0.5), "yes"])
def test_what_is_no_label_for_each_row_is_refused(predicted):
    """Probabilities would be counted as labels, twice as many as there are rows."""
    with pytest.raises(ValueError, match="one label for each row. Got an array of shape"):
        AuditTrail(predicted)


def test_the_beginning_of_a_longer_order_counts_all_rows():
    order = np.random.default_rng(0).permutation(200)
    part, whole = (AuditTrail(PREDICTED, n_rows=200, order=o) for o in (order[:50], order))
    assert checked(part, order[:50]).error_upper == checked(whole, order[:50]).error_upper > 0


def test_bad_trails_are_named(tmp_path):
    with pytest.raises(ValueError, match="pass n_rows"):
        checked(AuditTrail(PREDICTED, n_rows=3), range(4))
    with pytest.raises(ValueError, match="needs an order"):
        AuditTrail(PREDICTED).next_rows()
    with pytest.raises(ValueError, match="convert the predicted labels"):
        AuditTrail([np.datetime64("2020-01-01")]).save(tmp_path / "audit.json")


def test_the_order_is_a_seeded_permutation_of_the_rows_without_a_label():
    y = np.array([0, -1, 1, -1, -1, -1, 0])
    first, second = (audit_order(y, y, random_state=1) for _ in range(2))
    assert first.tolist() == second.tolist()
    assert sorted(first) == [1, 3, 4, 5]


def test_an_audit_of_all_rows_says_so():
    trail = AuditTrail(["a", "b"])
    trail.add(1, "a")
    trail.add(0, "a")
    assert str(trail) == "All 2 rows checked, 1 wrong."
