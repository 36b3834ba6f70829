"""What is known of each data set."""

from pathlib import Path

from ssrlpl.datasets import catalog, reuters


def test_every_set_has_what_a_person_should_know():
    records = [catalog.MNIST, catalog.USPS, catalog.COIL20, catalog.UMIST, catalog.UMIST_32]
    records += [catalog.SBDATA, reuters.REUTERS10K, reuters.REUTERS21578]
    page = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
    for record in records:
        assert all((record.description, record.source, record.citation))
        for form in record.forms:
            assert form.file_name in page
            assert form.url in page
