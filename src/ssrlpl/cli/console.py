"""What the person sees besides results: progress, notes and errors, all on standard error."""

from __future__ import annotations

import errno
import functools
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from .._utils.advice import for_the_shell
from .._utils.files import why_not_written
from .._utils.printing import one_line

INTERNAL_ERROR, BAD_INPUT, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141
"""Exit codes; 0 is success."""


def say(text: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(f"{one_line(text)}\n")


def reported(command: Callable[..., None]) -> Callable[..., None]:
    """Turn errors of a command into one sentence and an exit code."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            with for_the_shell(), _noted_warnings(quiet=options.get("quiet", False)):
                command(*args, **options)
        except (typer.Exit, typer.Abort, SystemExit):
            raise
        except BaseException as error:
            if options.get("debug"):
                traceback.print_exc()
            raise typer.Exit(_report(error)) from None

    return run


def _report(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt):
        say("ssrlpl: stopped; nothing was written.")
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        # Whoever read our output has seen enough; Python must not complain when it closes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("ssrlpl"):
        say(f"ssrlpl: this needs {error.name}: pip install 'ssrlpl[cli]'.")
        return BAD_INPUT
    if isinstance(error, MemoryError):
        say("ssrlpl: the memory does not suffice: pass a Parquet file, which is read in chunks.")
        return BAD_INPUT
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        where = "standard output" if error.filename is None else None
        say(f"ssrlpl: {why_not_written(Path(error.filename or '.'), error, what=where)}")
        return BAD_INPUT
    sentence = " ".join(str(error).split())
    if isinstance(error, ValueError | OSError | ImportError):
        say(f"ssrlpl: {sentence}")
        return BAD_INPUT
    say(
        f"ssrlpl: internal error ({type(error).__name__}: {sentence}). Please report it with the"
        " output of 'ssrlpl info' and of this command with --debug."
    )
    return INTERNAL_ERROR


@contextmanager
def _noted_warnings(*, quiet: bool) -> Iterator[None]:
    """Show warnings meant for people as notes, and no others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not quiet:
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = _show
        yield


def _show(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    *_: Any,
    **__: Any,
) -> None:
    from .._utils.user_warnings import is_of_a_library

    if not is_of_a_library(filename):
        say(f"note: {message}")


class RichSteps:
    """Progress bars on standard error, if a person is looking at it."""

    def __init__(self, *, quiet: bool):
        self._quiet = quiet
        self._shown = not quiet and sys.stderr.isatty()

    def say(self, text: str) -> None:
        """Write a note at once."""
        if not self._quiet:
            say(f"note: {text}")

    @contextmanager
    def step(self, label: str, total: float | None = None) -> Iterator[Callable[[float], None]]:
        """Show a bar for one step of the work; a moving one if its length is not known."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description:<24}"), BarColumn(), TimeElapsedColumn())
        # A disabled bar of rich before 14.3 still writes an empty line.
        console = Console(stderr=True, quiet=not self._shown)
        with Progress(*columns, console=console, disable=not self._shown) as progress:
            task = progress.add_task(label, total=total)
            yield lambda amount: progress.advance(task, amount)
            progress.update(task, total=total or 1, completed=total or 1)
