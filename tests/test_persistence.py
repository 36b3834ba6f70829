"""Model files: what is saved comes back to the bit, and nothing else is believed."""

import hashlib
import importlib
import inspect
import io
import json
import os
import pickle
import re
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.fixes import parse_version

import ssrlpl
from conftest import problem
from ssrlpl import SSRLPL, KernelSSRLPL, KNNLabeler, LabeledForest, LabeledOnly, SSRLPLClassifier
from ssrlpl._utils import limits
from ssrlpl.model_parts import TRUSTED
from ssrlpl.persistence import ModelFileError, load_file

pytest.importorskip("skops")

FIXTURES = Path(__file__).parent / "fixtures"
NAMES = np.array(["ash", "beech", "cedar"], dtype=object)


def partly_named():
    X, y, _ = problem()
    return X, np.where(y >= 0, NAMES[y], None)


MODELS = {
    "linear": SSRLPL(),
    "linear, more components": SSRLPL(5),
    "kernel": KernelSSRLPL(),
    "kernel, more components": KernelSSRLPL(6),
    "laplacian": KernelSSRLPL(kernel="laplacian"),
    "labeler": KNNLabeler(),
    "cosine": KNNLabeler(similarity="cosine"),
    "uniform": KNNLabeler(similarity="uniform"),
    "inverse distance": KNNLabeler(similarity="inverse_distance", winner_take_all=True),
    "labeled only": LabeledOnly(SVC()),
    "classifier": SSRLPLClassifier(),
    "classifier, linear": SSRLPLClassifier(SSRLPL(labeler=LogisticRegression())),
    "pipeline": make_pipeline(StandardScaler(), KernelSSRLPL(), LabeledOnly(SVC())),
}


def answers(model, X):
    """Everything a model says about rows."""
    names = ("transform", "predict", "predict_proba", "decision_function")
    return {name: getattr(model, name)(X) for name in names if hasattr(model, name)}


def assert_same(model, again, X):
    expected, got = answers(model, X), answers(again, X)
    assert expected.keys() == got.keys()
    for name in expected:
        assert np.array_equal(expected[name], got[name]), name


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_gives_the_same_answers_to_the_bit(name, tmp_path):
    X, y = partly_named()
    model = MODELS[name].fit(X, y)
    ssrlpl.save(model, tmp_path / "model.ssrlpl")
    again = ssrlpl.load(tmp_path / "model.ssrlpl")
    assert type(again) is type(model)
    assert_same(model, again, X + 0.1)


def public_estimators():
    found = [getattr(ssrlpl, name) for name in ssrlpl.__all__]
    return [c for c in found if inspect.isclass(c) and issubclass(c, BaseEstimator)]


@pytest.mark.parametrize("kind", public_estimators(), ids=lambda kind: kind.__name__)
def test_every_public_estimator_can_be_saved(kind, tmp_path):
    """A new estimator must name its parts in TRUSTED."""
    X, y = partly_named()
    arguments = {
        "LabeledOnly": [SVC()],
        "GivenLabels": [np.ones((len(X), 3))],
        "MixtureClassifier": [SSRLPLClassifier(), [LabeledForest()]],
    }
    model = kind(*arguments.get(kind.__name__, [])).fit(X, y)
    ssrlpl.save(model, tmp_path / "model.ssrlpl")
    assert_same(model, ssrlpl.load(tmp_path / "model.ssrlpl"), X)


def test_files_of_large_tables_hold_no_label_vectors_of_training_rows(tmp_path, monkeypatch):
    X, y = partly_named()
    search = ssrlpl.SSRLPLCV().fit(X, y)
    models = [search, KernelSSRLPL().fit(X, y), KNNLabeler().fit(X, y)]
    monkeypatch.setattr(limits, "MODEL_LABEL_NUMBERS", 10)
    for model in models:
        ssrlpl.save(model, tmp_path / "model.ssrlpl")
        again = ssrlpl.load(tmp_path / "model.ssrlpl")
        assert_same(model, again, X)
        assert not hasattr(again, "label_distributions_")
        assert np.array_equal(again.transduction_, model.transduction_)
        copy = pickle.loads(pickle.dumps(model))
        assert np.array_equal(copy.label_distributions_, model.label_distributions_)
    ssrlpl.save(search, tmp_path / "model.ssrlpl")
    again = ssrlpl.load(tmp_path / "model.ssrlpl")
    assert not hasattr(again, "loo_probabilities_")
    with pytest.raises(ValueError, match="fit the search again"):
        again.best_estimator().fit(X, y)


def test_precomputed_kernels_sparse_rows_and_streams_come_back(tmp_path):
    from scipy import sparse

    X, y, _ = problem()
    for model, rows in [
        (KernelSSRLPL(kernel="precomputed").fit(X @ X.T, y), X @ X.T),
        (KernelSSRLPL().fit(sparse.csr_matrix(X), y), sparse.csr_matrix(X)),
        (KernelSSRLPL().fit(sparse.csr_array(X), y), sparse.csr_array(X)),
        (SSRLPL().partial_fit(X, y), X),
    ]:
        ssrlpl.save(model, tmp_path / "model.ssrlpl")
        assert_same(model, ssrlpl.load(tmp_path / "model.ssrlpl"), rows)


def test_a_model_of_a_data_frame_keeps_its_column_names(tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = partly_named()
    frame = pd.DataFrame(X[:, :2], columns=["größe", "width"])
    frame["tree"] = np.where(X[:, 2] > 0, "old", "young")
    frame.loc[3, "größe"] = np.nan
    treatment = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["größe", "width"]),
            ("texts", OneHotEncoder(handle_unknown="ignore"), ["tree"]),
        ]
    )
    model = make_pipeline(treatment, SSRLPLClassifier()).fit(frame, y)
    ssrlpl.save(model, tmp_path / "model.ssrlpl", about={"target": "kind"})
    again = load_file(tmp_path / "model.ssrlpl")
    assert_same(model, again.model, frame)
    assert again.header["feature_names"] == ["größe", "width", "tree"]
    assert again.about == {"target": "kind"}
    with pytest.raises(TypeError, match=r"about must hold .*int64.*: pass int\(...\)"):
        ssrlpl.save(model, tmp_path / "model.ssrlpl", about={"labels": np.int64(3)})
    assert again.header["versions"]["ssrlpl"] == ssrlpl.__version__


def similarity(A, B):
    return A @ B.T


@pytest.mark.parametrize(
    ("model", "culprit"),
    [
        (KernelSSRLPL(kernel=similarity), "similarity"),
        (KernelSSRLPL(kernel=lambda A, B: A @ B.T), "lambda"),
        (LabeledOnly(RandomForestClassifier(2)), "Tree"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(model, culprit, tmp_path):
    X, y = partly_named()
    path = tmp_path / "model.ssrlpl"
    path.write_text("an earlier file")
    with pytest.raises(ModelFileError, match=f"cannot be saved.*{culprit}"):
        ssrlpl.save(model.fit(X, y), path)
    assert path.read_text() == "an earlier file"
    assert os.listdir(tmp_path) == ["model.ssrlpl"]


@pytest.fixture
def saved(tmp_path):
    X, y = partly_named()
    path = tmp_path / "model.ssrlpl"
    ssrlpl.save(SSRLPL().fit(X, y), path)
    return path


@pytest.mark.parametrize("kept", [1, 5, 30, 90, 200, 2000, -1])
def test_a_truncated_file_is_recognized(saved, kept):
    saved.write_bytes(saved.read_bytes()[:kept])
    with pytest.raises(ModelFileError, match="cut short"):
        ssrlpl.load(saved)


@pytest.mark.parametrize("position", [100, 400, 2000, -200, -1])
def test_a_changed_byte_is_recognized(saved, position):
    content = bytearray(saved.read_bytes())
    content[position] ^= 1
    saved.write_bytes(content)
    with pytest.raises(ModelFileError, match="changed after it was written"):
        ssrlpl.load(saved)


def test_a_newer_format_is_recognized(saved):
    first, rest = saved.read_bytes().split(b"\n", 1)
    saved.write_bytes(first.replace(b"ssrlpl-model 2 ", b"ssrlpl-model 3 ") + b"\n" + rest)
    with pytest.raises(ModelFileError, match="format 3.*reads up to 2.*upgrade"):
        ssrlpl.load(saved)


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"PK\x03\x04", bytes(1000)])
def test_other_files_are_no_models(tmp_path, content):
    (tmp_path / "table.csv").write_bytes(content)
    with pytest.raises(ModelFileError, match="not a model file"):
        ssrlpl.load(tmp_path / "table.csv")
    with pytest.raises(ModelFileError, match="no model file"):
        ssrlpl.load(tmp_path / "nothing.ssrlpl")


def with_content(content):
    """Return a file with a valid checksum around any skops content."""
    rest = json.dumps({"versions": {}}).encode() + b"\n" + content
    return f"ssrlpl-model 1 {hashlib.sha256(rest).hexdigest()} {len(rest)}\n".encode() + rest


def test_a_file_that_asks_for_other_code_is_not_built(tmp_path):
    import skops.io

    model = KernelSSRLPL(kernel=os.system)
    (tmp_path / "bad.ssrlpl").write_bytes(with_content(skops.io.dumps(model)))
    with pytest.raises(ModelFileError, match="system, which is no part of a model"):
        ssrlpl.load(tmp_path / "bad.ssrlpl")


def test_content_that_is_no_model_gives_one_sentence(tmp_path):
    (tmp_path / "bad.ssrlpl").write_bytes(with_content(b"no archive"))
    with pytest.raises(ModelFileError, match="cannot be built with the libraries"):
        ssrlpl.load(tmp_path / "bad.ssrlpl")


def forged(saved, change):
    """Write the content of a file again, with a change of its members, and a true checksum."""
    _, _, content = saved.read_bytes().split(b"\n", 2)
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name, data in change({name: old.read(name) for name in old.namelist()}).items():
            new.writestr(name, data)
    saved.write_bytes(with_content(made.getvalue()))
    return saved


def larger_than_it_says(members):
    name = next(name for name in members if name.endswith(".npy"))
    false = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        false, {"shape": (10**9,), "fortran_order": False, "descr": "<f8"}
    )
    return members | {name: false.getvalue() + bytes(80)}


def inside_of_another(members):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.npy", bytes(30_000_000))
    return members | {"1.npz": inner.getvalue()}


def named_many_times(members):
    name = max((n for n in members if n.endswith(".npy")), key=lambda n: len(members[n]))
    again = [{"__class__": "ndarray", "file": name} for _ in range(10_000)]
    schema = json.loads(members["schema.json"]) | {"again": again}
    return members | {"schema.json": json.dumps(schema)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda members: members | {"1.npy": bytes(30_000_000)}, "would become 30,0"),
        (inside_of_another, "would become 30,0"),
        (larger_than_it_says, "says that it has 8,000,000,000 bytes and has 80"),
        (named_many_times, "names arrays of"),
    ],
)
def test_a_file_that_would_fill_the_memory_is_refused_before_it_does(
    change, words, saved, monkeypatch
):
    path = forged(saved, change)
    size = path.stat().st_size
    assert size < 1_000_000
    monkeypatch.setattr(limits, "MODEL_BYTES", 1_000_000)
    tracemalloc.start()
    with pytest.raises(ModelFileError, match=f"not loaded, because.*{words}.*fill the memory"):
        ssrlpl.load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


def test_a_model_that_packs_too_well_is_packed_less(tmp_path, monkeypatch):
    X = np.zeros((2000, 50))
    X[:6] = np.eye(6, 50)
    model = KernelSSRLPL().fit(X, [0, 1] * 3 + [-1] * 1994)
    monkeypatch.setattr(limits, "MODEL_BYTES", 1000)
    ssrlpl.save(model, tmp_path / "model")
    assert_same(model, ssrlpl.load(tmp_path / "model"), X[:9])


def test_a_refusal_names_the_step_and_the_reason(tmp_path):
    X, y = partly_named()
    forest = LabeledOnly(RandomForestClassifier(2))
    model = make_pipeline(StandardScaler(), forest).fit(X, y)
    words = "Pipeline with the step 'labeledonly', LabeledOnly with the part 'estimator_',"
    with pytest.raises(ModelFileError, match=f"{words}.*Decision trees are not checked"):
        ssrlpl.save(model, tmp_path / "model")


@pytest.mark.parametrize("name", TRUSTED)
def test_every_trusted_name_exists(name):
    """A class that moves needs its old name kept for files that are already out."""
    module, attribute = name.rsplit(".", 1)
    assert hasattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize("kind", ["graph", "plain", "ridge", "discriminant"])
def test_searches_of_format_1_stay_readable(kind):
    """Every kind of winner, written by the last version that wrote format 1."""
    expected = json.loads((FIXTURES / "search-v1.json").read_text())
    answers, X = expected["answers"][kind], np.array(expected["rows"])
    model = ssrlpl.load(FIXTURES / f"search-{kind}-v1.ssrlpl")
    assert model.predict(X).tolist() == answers["labels"]
    assert np.allclose(model.predict_proba(X), answers["probabilities"], atol=1e-9)
    assert np.allclose(model.transform(X), answers["representation"], atol=1e-9)
    assert model.verdict_ == answers["verdict"]
    said, then = model.summary(), answers["summary"]
    assert said.split(";")[0] == then.split(";")[0]
    assert f"left-out error {100 * model.nested_error_:.1f} %" in said
    assert f"labeled rows only {100 * model.labeled_only_error_:.1f} %" in said


def test_files_name_public_paths_only(tmp_path):
    X, y = partly_named()
    ssrlpl.save(ssrlpl.SSRLPLCV().fit(X, y), tmp_path / "model")
    header, content = (tmp_path / "model").read_bytes().split(b"\n", 2)[1:]
    assert json.loads(header)["model"] == "ssrlpl.SSRLPLCV"
    schema = zipfile.ZipFile(io.BytesIO(content)).read("schema.json").decode()
    ours = set(re.findall(r'"__module__": "(ssrlpl[^"]*)"', schema))
    assert ours == {"ssrlpl"}


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.8"),
    reason="the file holds a LogisticRegression of scikit-learn 1.9, which 1.7 cannot read",
)
def test_files_of_format_1_stay_readable():
    """The fixture was written by version 0.1.0 and is never written again."""
    expected = json.loads((FIXTURES / "model-v1.json").read_text())
    model = ssrlpl.load(FIXTURES / "model-v1.ssrlpl")
    X = np.array(expected["rows"])
    assert model.predict(X).tolist() == expected["labels"]
    assert np.allclose(model.predict_proba(X), expected["probabilities"], atol=1e-6)


@pytest.mark.parametrize("wrong", [3, SSRLPL, {"a": 1}], ids=repr)
def test_what_is_no_estimator_is_refused(tmp_path, wrong):
    with pytest.raises(ModelFileError, match="model must be an estimator"):
        ssrlpl.save(wrong, tmp_path / "model.ssrlpl")
    assert not list(tmp_path.iterdir())


def test_a_search_that_cannot_be_saved_names_what_can_be(tmp_path):
    X, y, _ = problem(n=60)
    search = GridSearchCV(SSRLPLClassifier(SSRLPL()), {"temperature": [1.0]}, cv=2)
    search.fit(X, np.maximum(y, 0))
    with pytest.raises(ModelFileError, match="pass its best_estimator_"):
        ssrlpl.save(search, tmp_path / "model.ssrlpl")
    ssrlpl.save(search.best_estimator_, tmp_path / "model.ssrlpl")
