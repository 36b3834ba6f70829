"""``python -m ssrlpl.cli``."""

from . import main

main()
