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


def test_no_data_set_is_imported_before_it_is_used():
    code = (
        "import sys, ssrlpl; assert 'ssrlpl.datasets' not in sys.modules;"
        "import ssrlpl.datasets as d; assert 'ssrlpl.datasets.images' not in sys.modules;"
        "assert all(callable(getattr(d, name)) for name in dir(d)); d.nothing"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stderr.strip().endswith("has no attribute 'nothing'")
