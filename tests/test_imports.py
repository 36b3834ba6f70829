"""What an import costs: nothing before it is used."""

import subprocess
import sys


def test_import_brings_in_nothing_that_scikit_learn_does_not():
    """Plots and tables come in only when used, so importing us costs what scikit-learn costs."""
    code = "import sys, {}; print(*{{name.split('.')[0] for name in sys.modules}})"

    def packages(module):
        command = [sys.executable, "-c", code.format(module)]
        return set(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        )

    ours = packages("ssrlpl") - packages("sklearn.decomposition")
    assert {name for name in ours if name not in sys.stdlib_module_names} == {"ssrlpl"}


def test_help_and_wrong_options_need_no_scikit_learn():
    """A typo is answered at once."""
    code = (
        "import sys; from ssrlpl.cli import main; sys.argv = ['ssrlpl', *{}]\n"
        "try: main()\n"
        "except SystemExit: print(*{{name.split('.')[0] for name in sys.modules}})"
    )
    for arguments in (["--help"], ["fit", "--help"], ["fit", "--nothing"], ["fit", "t.csv"]):
        command = [sys.executable, "-c", code.format(arguments)]
        ended = subprocess.run(command, check=True, capture_output=True, text=True)
        loaded = set(ended.stdout.split())
        assert "ssrlpl" in loaded, ended.stderr
        assert loaded.isdisjoint({"sklearn", "numpy", "scipy", "pandas"}), arguments


def test_a_room_does_not_hide_the_function_of_its_name():
    code = "import ssrlpl.hsic, ssrlpl.guarantee; from ssrlpl import hsic; assert callable(hsic)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_no_data_set_is_imported_before_it_is_used():
    code = (
        "import sys, ssrlpl; assert 'ssrlpl.datasets' not in sys.modules;"
        "import ssrlpl.datasets as d; assert 'ssrlpl.datasets.images' not in sys.modules;"
        "assert all(callable(getattr(d, name)) for name in dir(d)); d.nothing"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stderr.strip().endswith("has no attribute 'nothing'")
