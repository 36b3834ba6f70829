"""Pipes, exit codes and the one sentence of an error."""

import subprocess
import sys
from pathlib import Path

import pytest

from command_line import fit, run


def test_an_error_of_ours_is_told_from_bad_input(wine, monkeypatch):
    def broken(*_):
        raise RuntimeError("oh")

    monkeypatch.setattr("ssrlpl.job.fit_table", broken)
    result = fit("wine.csv", code=1)
    assert "internal error (RuntimeError: oh)" in result.stderr
    assert "Traceback" not in result.stderr
    assert "Traceback" in fit("wine.csv", "--debug", code=1).stderr


def in_a_process(*arguments, **how):
    command = [sys.executable, "-m", "ssrlpl", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, **how)


def test_pipes(wine):
    text = Path("wine.csv").read_text()
    done = in_a_process(
        "fit", "-", "--target", "label", "--method", "linear", "--no-certify", "-q", input=text
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = in_a_process("predict", "table-ssrlpl/model.ssrlpl", "-", input=text)
    assert done.stdout.startswith("row,label,probability\n0,")


def test_without_the_extra_one_sentence_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from ssrlpl.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "ssrlpl: the command line needs typer: pip install 'ssrlpl[cli]'.\n"


@pytest.mark.parametrize("name", ["fit", "transform", "predict", "certify", "label-next", "demo"])
def test_every_command_shows_examples(name):
    printed = run(name, "--help").stdout
    assert "Examples:" in printed
    assert f"ssrlpl {name}" in printed
