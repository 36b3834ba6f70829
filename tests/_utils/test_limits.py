"""The page of limits says what the code does."""

import re
from pathlib import Path

from ssrlpl._utils import limits

PAGE = Path(__file__).parents[2] / "docs" / "limits.md"


def test_the_page_names_every_limit_with_its_value_and_no_other():
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", PAGE.read_text(encoding="utf-8"), re.M)
    written = {name: int(value.replace(",", "")) for name, value in rows}
    assert len(rows) == len(written)
    assert written == {name: value for name, value in vars(limits).items() if name.isupper()}
