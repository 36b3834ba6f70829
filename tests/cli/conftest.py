"""A table that every command can work on."""

import pytest

from table_samples import table


@pytest.fixture
def wine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, truth = table("wine")
    frame.to_csv("wine.csv", index=False)
    return truth
