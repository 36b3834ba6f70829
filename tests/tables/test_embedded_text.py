"""Sentence embeddings by a model on this computer, or a sentence that says what is missing."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ssrlpl import TableTransformer, load, save
from ssrlpl.tables import TableError, embedded_text
from table_samples import pd

TEXTS = ["the cat sat", "a dog ran", None, "the cat ran"] * 5


class Counting:
    """Stands for a model: it counts letters."""

    def __init__(self, name, local_files_only):
        assert local_files_only  # nothing is downloaded
        if name == "far/away" or (Path(name).is_dir() and not Path(name, "modules.json").exists()):
            raise OSError("not in the cache")

    def encode(self, texts, normalize_embeddings, show_progress_bar):
        assert normalize_embeddings
        counts = np.array([[text.count(c) for c in "acdt "] for text in texts], dtype=np.float32)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1)


@pytest.fixture(autouse=True)
def fresh():
    embedded_text._model.cache_clear()


def test_texts_become_what_the_model_makes_of_them(tmp_path, monkeypatch):
    fake = SimpleNamespace(SentenceTransformer=Counting)
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    frame = pd.DataFrame({"text": TEXTS})
    columns = TableTransformer(text=["text"], embed="small").fit(frame)
    Z = columns.transform(frame)
    assert columns.columns_[0].words() == "sentence embeddings by small, in 5 columns"
    assert Z.var(axis=0).sum() == pytest.approx(1)
    assert np.allclose(Z.mean(axis=0), 0)
    plain = Counting("small", True).encode([t or "" for t in TEXTS], True, False)
    gap = np.linalg.norm(plain[0] - plain[1]) / np.linalg.norm(plain[0] - plain[3])
    assert np.linalg.norm(Z[0] - Z[1]) / np.linalg.norm(Z[0] - Z[3]) == pytest.approx(gap)
    save(columns, tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").transform(frame), Z)
    with pytest.raises(TableError, match="'far/away', which is not on this computer: download it"):
        TableTransformer(text=["text"], embed="far/away").fit(frame)


def test_a_folder_of_a_model_is_found_from_elsewhere(tmp_path, monkeypatch):
    fake = SimpleNamespace(SentenceTransformer=Counting)
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    frame = pd.DataFrame({"text": TEXTS})
    (tmp_path / "small").mkdir()
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TableError, match=r"small', which holds no model of sentence-transformers"):
        TableTransformer(text=["text"], embed="small").fit(frame)
    Path("small", "modules.json").touch()
    columns = TableTransformer(text=["text"], embed="small").fit(frame)
    monkeypatch.chdir("else")
    assert columns.columns_[0].embed == str(tmp_path / "small")
    assert columns.transform(frame).shape == (20, 5)


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(TableError, match=r"pip install 'ssrlpl\[text\]'.*tf-idf"):
        TableTransformer(text=["text"], embed="small").fit(pd.DataFrame({"text": TEXTS}))
