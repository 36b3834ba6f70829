"""The output folder: a complete one or none."""

import errno
import os
import signal
import subprocess
import sys

import pytest

from command_line import fit, refused
from ssrlpl.job import write_folder
from ssrlpl.tables import table_writing
from table_samples import table

KILLED = """
import os, signal, sys  # noqa: E402
from pathlib import Path  # noqa: E402
from ssrlpl.job import write_folder  # noqa: E402

def half(folder):
    (folder / "labels.csv").write_text("row,label")
    os.kill(os.getpid(), signal.SIGKILL)

write_folder(Path(sys.argv[1]), half, force=True)
"""


@pytest.mark.parametrize("existed", [True, False])
def test_a_run_that_is_killed_leaves_no_half_folder(existed, tmp_path):
    out = tmp_path / "out"
    if existed:
        write_folder(out, lambda folder: (folder / "labels.csv").write_text("whole"), force=False)
    done = subprocess.run([sys.executable, "-c", KILLED, str(out)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert out.exists() == existed
    if existed:
        assert (out / "labels.csv").read_text() == "whole"
    assert any(name.endswith(".partial") for name in os.listdir(tmp_path))
    write_folder(out, lambda folder: (folder / "labels.csv").write_text("new"), force=True)
    assert os.listdir(tmp_path) == ["out"]
    assert (out / "labels.csv").read_text() == "new"


def test_a_run_that_fails_leaves_the_old_folder(tmp_path):
    out = tmp_path / "out"
    write_folder(out, lambda folder: (folder / "labels.csv").write_text("whole"), force=False)

    def fail(folder):
        (folder / "labels.csv").write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_folder(out, fail, force=True)
    assert (out / "labels.csv").read_text() == "whole"
    assert os.listdir(tmp_path) == ["out"]


def test_a_full_disk_is_told_with_the_room_that_is_needed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table("wine")[0].to_csv("wine.csv", index=False)
    fit("wine.csv", "--out", "whole")
    size = sum(path.stat().st_size for path in (tmp_path / "whole").iterdir())
    written = table_writing._write_parquet

    def full(chunks, sink):
        if not isinstance(getattr(sink, "name", None), int | str):  # where sizes are counted
            return written(chunks, sink)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(table_writing, "_write_parquet", full)
    said = refused("fit", "wine.csv", "--target", "label", "--method", "linear", "--out", "half")
    needed = float(said.partition("free, ")[2].partition(" MB")[0].replace(",", ""))
    assert needed * 1e6 == pytest.approx(size, abs=1e5)
    assert f"the disk that holds {tmp_path} is full" in said
    assert sorted(os.listdir(tmp_path)) == ["whole", "wine.csv"]
