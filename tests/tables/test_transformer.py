"""Tables become numbers: whole and in chunks, in the first table and in new ones."""

import datetime
import io
import pickle
import warnings

import numpy as np
import pytest
from scipy.special import ndtri
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ssrlpl import SSRLPLCV, TableTransformer, load, save
from ssrlpl._utils import limits
from ssrlpl._utils.advice import for_the_shell
from ssrlpl.tables import LargeTable, TableError, read, read_target
from table_samples import mixed_frame, pd, write


def features():
    return mixed_frame().drop(columns="kind")


def test_it_is_what_a_person_would_put_together_by_hand():
    frame = features()
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    texts = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    by_hand = ColumnTransformer(
        [("n", numbers, ["größe", "count", "ok"]), ("t", texts, ["farbe"])],
        verbose_feature_names_out=False,
    )
    plain = frame.astype({"farbe": object, "ok": float})
    plain["farbe"] = plain["farbe"].where(plain["farbe"].notna(), np.nan)  # an imputer's only gap
    ours = TableTransformer().fit(frame)
    assert np.allclose(ours.transform(frame), by_hand.fit_transform(plain), atol=1e-12)
    assert ours.get_feature_names_out().tolist() == by_hand.get_feature_names_out().tolist()


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("chunk", [7, 20, 60])
def test_a_table_in_chunks_is_treated_as_one_in_memory(scale, chunk, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "CHUNK_ROWS", chunk)
    frame = features()
    frame["day"] = pd.date_range("2023-11-05 08:00", periods=60, freq="17h")
    table = LargeTable([write(frame, tmp_path / "t.parquet")])
    in_chunks = TableTransformer(scale=scale)
    evidence = in_chunks.new_evidence(table.names)
    for part in table.chunks():
        evidence.add(part)
    in_chunks.fit_evidence(evidence)
    whole = TableTransformer(scale=scale).fit(frame)
    assert np.allclose(whole.transform(frame), in_chunks.transform(frame), atol=1e-12)
    assert in_chunks.notes_ == whole.notes_
    assert np.array_equal(in_chunks.feature_names_in_, whole.feature_names_in_)


def test_without_scaling_numbers_stay_as_they_are():
    frame = features()
    X = TableTransformer(scale=False).fit_transform(frame)
    assert np.array_equal(X[:, 1], frame["count"])
    assert np.allclose(X[::7, 0], frame["größe"].mean())


@pytest.mark.parametrize(("n", "farthest", "is_bent"), [
    (1_000, 4.9, False), (1_000, 5.1, True), (50_000, 5.5, False), (50_000, 6.0, True),
])  # fmt: skip
def test_of_more_cells_the_farthest_must_be_farther(n, farthest, is_bent):
    """A column of many normal numbers has no far tails."""
    column = ndtri((np.arange(n) + 0.5) / n)
    column[-1] = farthest * column.std()
    encoded = TableTransformer().fit(pd.DataFrame({"a": column, "b": np.arange(n) % 7}))
    assert (encoded.columns_[0].bend is not None) == is_bent


@pytest.mark.parametrize("chunk", [1, 7, 100])
def test_far_tails_are_bent_the_same_however_the_table_is_cut(chunk, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"income": np.exp(3 * rng.normal(size=100)), "z": rng.normal(size=100)})
    frame.loc[::9, "income"] = np.nan
    whole = TableTransformer().fit(frame)
    X = whole.transform(frame)
    assert np.allclose([X.mean(axis=0), X.std(axis=0)], [[0, 0], [1, 1]])
    distance = frame["income"] - frame["income"].median()
    bent = np.arcsinh(distance / distance.abs().median())
    bent = bent.fillna(bent.mean())
    assert np.allclose(X[:, 0], (bent - bent.mean()) / bent.std(ddof=0))
    assert whole.limits_hit_ == ()
    monkeypatch.setattr(limits, "TAIL_ROWS", 30)
    sampled, in_chunks = TableTransformer().fit(frame), TableTransformer()
    evidence = in_chunks.new_evidence(["income", "z"])
    for start in range(0, 100, chunk):
        evidence.add(frame.iloc[start : start + chunk])
    in_chunks.fit_evidence(evidence)
    assert np.allclose(sampled.transform(frame), in_chunks.transform(frame))
    assert sampled.limits_hit_ == in_chunks.limits_hit_ == ("TAIL_ROWS",)
    assert not np.allclose(sampled.transform(frame), X)


def test_a_messy_frame_in_a_pipeline_with_labels_partly_missing():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=120)
    frame = pd.DataFrame(
        {
            "name": [f"n{i}" for i in range(120)],
            "pay": [f"${1000 * (t + 2) + e:,.2f}" for t, e in zip(truth, rng.normal(size=120) * 200,
                                                                 strict=True)],
            "kind": pd.Categorical(np.where(truth == 1, 5, rng.choice([3, 4], 120))),
            "vip": rng.choice(["yes", "no", None], 120),
            "since": rng.choice(["2020-05-06", "2021-07-08", ""], 120),
            "gap": np.where(rng.random(120) < 0.5, np.nan, truth + rng.normal(size=120)),
        }
    )  # fmt: skip
    y = np.where(np.arange(120) < 20, truth.astype(object), None)
    model = make_pipeline(TableTransformer(), SSRLPLCV()).fit(frame, y)
    assert np.mean(model.predict(frame) == truth) > 0.95
    columns = model[0]
    assert list(columns.left_out_) == ["name"]
    assert {"pay", "kind_3", "vip", "since_year", "gap"} <= set(columns.get_feature_names_out())


def test_columns_are_found_by_name_and_unused_ones_need_not_be_there():
    frame = features().assign(same=1.0)
    fitted = TableTransformer().fit(frame)
    other = frame[frame.columns[::-1]].drop(columns="same").assign(further=0)
    assert np.array_equal(fitted.transform(frame), fitted.transform(other))
    with pytest.raises(TableError, match="column 'größe', which the table does not have"):
        fitted.transform(frame.drop(columns="größe"))
    with pytest.raises(ValueError, match="names of columns must differ"):
        fitted.transform(pd.concat([frame, frame], axis=1))


def test_new_rows_must_have_the_kinds_of_the_first():
    frame = features()
    fitted = TableTransformer().fit(frame)
    wrong = frame.assign(count=["many", *frame["count"].astype(str)[1:]])
    with pytest.raises(TableError, match="'count' must hold numbers.*'many' in row 0"):
        fitted.transform(wrong)
    with pytest.warns(UserWarning, match="'farbe' holds 'gelb', which the model has not seen"):
        X = fitted.transform(frame.assign(farbe="gelb"))
    assert not X[:, 3:].any()
    assert np.array_equal(
        fitted.transform(frame.assign(count=frame["count"].astype(str))), fitted.transform(frame)
    )
    assert np.array_equal(fitted.transform(frame.assign(count=None))[:, 1], np.zeros(60))


def test_what_texts_meant_in_the_first_table_they_mean_in_the_next():
    fitted = TableTransformer(scale=False).fit(pd.DataFrame({"m": ["1.500,5", "2,25", "7"] * 9}))
    assert fitted.transform(pd.DataFrame({"m": ["1.500", "2.000"]})).ravel().tolist() == [
        1500,
        2000,
    ]
    assert fitted.transform(pd.DataFrame({"m": [1.5, np.nan]}))[0, 0] == 1.5
    unknown = fitted.transform(pd.DataFrame({"m": ["k.A.", "-", "", "7"]})).ravel()
    assert np.allclose(unknown, [np.mean([1500.5, 2.25, 7])] * 3 + [7])
    with pytest.raises(TableError, match=r"cells like '1.500,5', as before. Got '1.5' in row 1"):
        fitted.transform(pd.DataFrame({"m": ["1", "1.5"]}))


def test_new_rows_far_from_all_that_was_seen_are_said():
    told = TableTransformer(decimal=",").fit(pd.DataFrame({"p": [f"{i},49 €" for i in range(60)]}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told.transform(pd.DataFrame({"p": ["200,00 €", "7,00 €"]}))  # one may well be far
    with pytest.warns(UserWarning, match="'p' holds cells near 17490, far from .*near 29.99"):
        told.transform(pd.DataFrame({"p": ["12.490 €", "17.490 €", "55.490 €"]}))


def test_a_column_that_was_renamed_is_pointed_out():
    told = TableTransformer().fit(pd.DataFrame({"preis": [1.5, 2, 4], "n": [3, 1, 2]}))
    with pytest.raises(TableError, match="rename 'Preis ' if that is it"):
        told.transform(pd.DataFrame({"Preis ": [1.5], "n": [1]}))
    with pytest.raises(TableError, match="missing.: pass a table"):
        told.transform(pd.DataFrame({"n": [1]}))


def test_dates_are_what_varies_of_them():
    days = [datetime.date(2024, 2, 28) + datetime.timedelta(days=i) for i in range(30)]
    fitted = TableTransformer(scale=False).fit(pd.DataFrame({"d": days}))
    assert fitted.get_feature_names_out().tolist() == ["d_month", "d_weekday", "d_day"]
    X = fitted.transform(pd.DataFrame({"d": ["2024-02-29", "2024-03-04"]}))
    assert X.tolist() == [[2, 3, 1], [3, 0, 5]]
    scaled = TableTransformer().fit_transform(pd.DataFrame({"d": days}))
    assert scaled.var(axis=0).sum() == pytest.approx(1)


def test_years_of_two_digits_in_two_centuries_are_said():
    def note(first):
        days = pd.Series([f"{1 + j % 28:02}/03/{(first + j) % 100:02}" for j in range(40)])
        return TableTransformer().fit(pd.DataFrame({"born": days})).notes_[0]

    told = "the first is 1985-03-01 and the last 2024-03-12: write years with four digits"
    assert told in note(85)
    assert "four digits" not in note(5)


def test_marks():
    frame = pd.DataFrame({"vip": ["x", None, None, " "] * 15, "rare": ["x", *[None] * 59]})
    fitted = TableTransformer().fit(frame)
    assert list(fitted.left_out_) == ["rare"]
    assert fitted.notes_[1:] == []  # no gap was filled
    X = fitted.transform(frame)
    assert np.allclose([X.mean(), X.std()], [0, 1])
    assert X[0] > 0 > X[1] == X[3]
    plain = TableTransformer(scale=False).fit_transform(frame)
    assert plain.ravel().tolist() == [1, 0, 0, 0] * 15


@pytest.mark.parametrize(("mark", "other"), [(1, 0), ("x", "no"), (True, False)])
def test_only_the_mark_counts_as_one(mark, other, tmp_path):
    frame = pd.DataFrame({"m": [mark, None, mark] * 10, "z": np.arange(30) % 7})
    fitted = TableTransformer(scale=False).fit(frame)
    new = pd.DataFrame({"m": [other, None, mark], "z": 1})
    with pytest.warns(UserWarning, match="'m' holds .* only .* counts as a mark"):
        assert fitted.transform(new)[:, 0].tolist() == [0, 0, 1]
    del vars(fitted.columns_[0])["mark"]  # as older model files are
    save(fitted, tmp_path / "t.ssrlpl")
    assert load(tmp_path / "t.ssrlpl").transform(new)[:, 0].tolist() == [1, 0, 1]


def texts(n=60):
    rng = np.random.default_rng(0)
    words = (["oven", "sauce", "dish"], ["code", "cloud", "disk"])
    kinds = np.arange(n) % 2
    prose = [" ".join(rng.choice([*words[k], "the", "of", "and"], 8)) for k in kinds]
    return pd.DataFrame({"prose": [*prose[:-1], None], "z": rng.normal(size=n)}), kinds


@pytest.mark.parametrize("cells", [[1.0, np.nan] * 15, pd.array([True, None] * 15, "boolean")])
def test_a_one_in_some_rows_is_a_mark(cells):
    frame = pd.DataFrame({"opt": cells, "z": np.arange(30) % 7})
    columns = TableTransformer(scale=False).fit(frame)
    assert columns.columns_[0].kind == "mark"
    assert columns.transform(frame)[:, 0].tolist() == [1, 0] * 15


def test_words_of_a_text_tell_classes_apart():
    frame, kinds = texts()
    assert list(TableTransformer().fit(frame).left_out_) == ["prose"]
    fitted = TableTransformer(text=["prose"]).fit(frame)
    X = fitted.transform(frame)
    assert X[:, :-1].var(axis=0).sum() == pytest.approx(1)
    assert fitted.get_feature_names_out()[[0, -1]].tolist() == ["prose_1", "z"]
    distances = np.linalg.norm(X[:-1, None, :-1] - X[None, :-1, :-1], axis=2)
    np.fill_diagonal(distances, np.inf)
    assert np.mean(kinds[distances.argmin(axis=1)] == kinds[:-1]) > 0.95
    new = fitted.transform(pd.DataFrame({"prose": ["sauce in the oven", "zzz"], "z": [0.0, 0.0]}))
    assert (
        np.linalg.norm(X[:-1:2, :-1] - new[0, :-1], axis=1).min()
        < np.linalg.norm(X[1:-1:2, :-1] - new[0, :-1], axis=1).min()
    )
    with pytest.raises(TableError, match="'nothing', which the table does not have"):
        TableTransformer(text=["nothing"]).fit(frame)
    with pytest.raises(TableError, match="'prose' has no words"):
        TableTransformer(text=["prose"]).fit(frame.assign(prose=["? !", "! ?"] * 30))


def test_arrays_polars_and_output_frames():
    frame = features()
    expected = TableTransformer().fit_transform(frame)
    polars = pytest.importorskip("polars").from_pandas(frame)
    assert np.array_equal(TableTransformer().fit_transform(polars), expected)
    assert np.array_equal(TableTransformer().fit_transform(frame.to_numpy(dtype=object)), expected)
    shown = TableTransformer().set_output(transform="pandas").fit_transform(frame)
    assert shown.columns.tolist()[:2] == ["größe", "count"]
    counting = np.arange(40.0).reshape(20, 2)  # an array has no names: no column is an identifier
    assert TableTransformer().fit_transform(counting).shape == (20, 2)


def test_it_is_kept_whole(tmp_path):
    frame = features().assign(d=pd.date_range("2023-01-01", periods=60), p=["3,5 %", "4 %"] * 30)
    frame["yes"], frame["mark"] = ["yes", "no", None] * 20, ["x", None] * 30
    frame["prose"] = texts()[0]["prose"]
    fitted = TableTransformer(text=["prose"]).fit(frame)
    save(fitted, tmp_path / "t.ssrlpl")
    expected = fitted.transform(frame)
    for again in (load(tmp_path / "t.ssrlpl"), pickle.loads(pickle.dumps(fitted))):
        assert np.array_equal(again.transform(frame), expected)
        assert again.notes_ == fitted.notes_
    assert np.array_equal(clone(fitted).fit_transform(frame), expected)


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="max_categories must be an int >= 2"):
        TableTransformer(max_categories=1).fit(features())
    with pytest.raises(ValueError, match="decimal must be one of"):
        TableTransformer(decimal=";").fit(features())


def test_advice_is_in_the_words_of_python_and_of_the_shell():
    frame = pd.DataFrame({"n": range(60), "note": ["so many words are in this cell", "x y z"] * 30,
                          "a": np.sin(np.arange(60))})  # fmt: skip
    (told,) = TableTransformer().fit(frame).notes_
    assert "keep=['n'] uses it" in told
    assert "--" not in told
    with for_the_shell():
        (told,) = TableTransformer().fit(frame).notes_
    assert "--id n names rows by it" in told
    with pytest.raises(TableError, match=r"^text= names the column 'nte'.*did you mean 'note'"):
        TableTransformer(text=["nte"]).fit(frame)


def test_a_single_name_and_lists_are_taken_as_they_are(tmp_path):
    frame = pd.DataFrame({"n": range(60), "a": np.sin(np.arange(60))})
    assert TableTransformer(keep="n").fit(frame).left_out_ == {}
    assert read_target(["a", "b", None, "a"], "y").labels.tolist() == ["a", "b", None, "a"]
    write(pd.DataFrame({"a": ["soon", 1.5, 2.5], "b": [1, 2, 3]}), tmp_path / "t.csv")
    assert read(tmp_path / "t.csv", missing="soon").frame["a"].isna().sum() == 1


def test_what_is_no_table_is_refused_with_the_cure():
    with pytest.raises(TableError, match=r"Got one column: pass X.to_frame\(\)"):
        TableTransformer().fit(pd.Series([1.0, 2.0]))
    records = [{"a": 1.0, "b": "u"}, {"a": 2.0, "b": "v"}]
    structured = np.array([(1.0, "u"), (2.0, "v")], dtype=[("a", float), ("b", "U1")])
    for given in (records, {"a": [1.0, 2.0]}, structured):
        with pytest.raises(TableError, match=r"must be a table. Got a \w+: pass pandas.DataFrame"):
            TableTransformer().fit(given)
    with pytest.raises(TableError, match=r"Got a str: pass ssrlpl.tables.read\(X\).frame"):
        TableTransformer().fit("t.csv")
    with pytest.raises(TableError, match="must be a path. Got a DataFrame: pass it to TableTr"):
        read(pd.DataFrame(records))
    with pytest.raises(TableError, match="must be a path. Got a StringIO"):
        read(io.StringIO("a,b"))


def test_it_stands_in_a_column_transformer():
    frame = features()
    both = ColumnTransformer(
        [("table", TableTransformer(), ["größe", "farbe"]), ("rest", StandardScaler(), ["count"])]
    )
    names = both.set_output(transform="pandas").fit_transform(frame).columns.tolist()
    assert names[0] == "table__größe"
    assert names[-1] == "rest__count"


def test_a_format_of_dates_that_does_not_fit_is_refused_with_a_cell():
    days = pd.DataFrame({"day": [f"{d}/05/2024" for d in range(1, 29)], "none": ["n/a"] * 28})
    assert TableTransformer(dates={"day": "%d/%m/%Y"}).fit(days).transform(days).size
    with pytest.raises(TableError, match=r"'day' must have the format %m/%d/%Y.*Got '13/05/2024'"):
        TableTransformer(dates={"day": "%m/%d/%Y", "none": "%Y"}).fit(days)
