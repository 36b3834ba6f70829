"""The command line as a function, for tests."""

import io

import pytest

for extra in ("typer", "rich", "pyarrow", "skops"):
    pytest.importorskip(extra)

from typer.testing import CliRunner  # noqa: E402

from ssrlpl.cli.app import app  # noqa: E402
from table_samples import pd  # noqa: E402


def run(*arguments, code=0, stdin=None):
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)
    assert result.exit_code == code, result.output
    return result


def fit(name="wine.csv", *more, code=0, method="linear"):
    return run("fit", name, "--target", "label", "--method", method, *more, code=code)


def refused(*arguments, **how):
    """Run a command that must fail with one sentence, and return it."""
    result = run(*arguments, code=2, **how)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("ssrlpl: ")]
    return line


def printed_table(*arguments):
    """Run a command that prints CSV, and read it."""
    return pd.read_csv(io.StringIO(run(*arguments).stdout))
