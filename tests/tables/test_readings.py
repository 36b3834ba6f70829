"""Texts that are numbers, dates or truths, and texts that only look like it."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssrlpl import TableTransformer
from ssrlpl.tables import TableError, read
from ssrlpl.tables.readings import DateReading, TruthReading, find_reading
from ssrlpl.tables.written_numbers import NumberReading
from table_samples import pd

READ = {
    "dollars": (["$8,432.57", "$993.10", "-$2.00"], [8432.57, 993.1, -2]),
    "euros behind": (["8.432,57 €", "993,1 €"], [8432.57, 993.1]),
    "thousands": (["1,951", "12,345,678", "3"], [1951, 12345678, 3]),
    "thousands by points": (["1.951.000", "12.345"], [1951000, 12345]),
    "decimal commas": (["1,5", "-0,25", "3"], [1.5, -0.25, 3]),
    "percent": (["7.2%", "14 %"], [0.072, 0.14]),
    "grams": (["3,750 g", "4,000 g"], [3750, 4000]),
    "blanks between": (["1 234,5", "1\u202f000,0"], [1234.5, 1000]),
    "Swiss": (["1'234.5", "2'000"], [1234.5, 2000]),
    "accounts": (["(3.50)", "4.00"], [-3.5, 4]),
    "powers": (["1.5e3", "2E-1"], [1500, 0.2]),
    "unknown ones": (["?", "1.5", "n/a", "2"], [np.nan, 1.5, np.nan, 2]),
    "yes": (["yes", "No", "YES"], [1, 0, 1]),
    "ja": (["ja", "nein"], [1, 0]),
    "four spellings": (["Yes", "y", "TRUE", "no", "N", "0"], [1, 1, 1, 0, 0, 0]),
    "two units": (["3,750 g", "4.1 kg", "900 g"], [3750, 4100, 900]),
    "billions": (["$1.5B", "$20M", "$900K", "$3.25B"], [1.5, 0.02, 0.0009, 3.25]),
    "thousands as k": (["1.5k", "900", "2M", "17"], [1500, 900, 2e6, 17]),
    "the last number and more": (["0", "1", "2", "3+"], [0, 1, 2, 3]),
    "limits in words": (["84", "under 18", "85 or older", "37"], [84, 18, 85, 37]),
    "the ends of a scale": (["1 - never", "2", "3", "4", "5 (always)"], [1, 2, 3, 4, 5]),
    "high and low": (["4.1", "5.6 H", "3.2 L", "4.0"], [4.1, 5.6, 3.2, 4]),
    "other scripts": (["٢٨٦٫٥", "٢٥٤٫٢٥"], [286.5, 254.25]),
    "wide digits": (["１，２３４．５", "２００．２５"], [1234.5, 200.25]),
    "other currencies": (["R$ 1.234,50", "R$ 2,75"], [1234.5, 2.75]),
    "rubles": (["28,649 ₽", "1,200,000 ₽"], [28649, 1200000]),
    "a month": (["$162/mo", "$90/mo"], [162, 90]),
    "of Fortran": (["1.5D+02", "2.0D-01"], [150, 0.2]),
    "plurals": (["1 item", "2 items", "14 items"], [1, 2, 14]),
    "two concentrations": (["5 µg/mL", "2 mg/mL", "7.5 µg/mL"], [5, 2000, 7.5]),
    "two energies": (["100 kJ", "10 kcal", "200 kJ"], [100, 41.84, 200]),
    "ages": (["1 year", "2 years", "3 weeks"], [8765.82, 17531.64, 504]),
    "years in brackets": (["(1990)", "(2003)", "(1987)"], [1990, 2003, 1987]),
    "losses in brackets": (["(1990)", "2003", "(1987)"], [-1990, 2003, -1987]),
    "marks of footnotes": (
        ["0.04*", "0.2", "0.001***", "1.5†", "7[a]"],
        [0.04, 0.2, 0.001, 1.5, 7],
    ),
    "halves": (["36", "37½", "1 ¼", "½"], [36, 37.5, 1.25, 0.5]),
    "rupees": (["Rs. 9,004/-", "Rs. 950/-"], [9004, 950]),
    "interest": (["4.85% p.a.", "10% p.a."], [4.85, 10]),
    "francs": (["Fr. 1'324.50", "Fr. 2.25"], [1324.5, 2.25]),
    "weeks in German": (["2 Wochen", "3 Tage", "1 Woche"], [336, 72, 168]),
    "weeks in Spanish": (["2 semanas", "3 días", "5 horas"], [336, 72, 5]),
    "the unit in some cells": (["64 Jahre", "32", "18", "67", "25 Jahre", "51 Jahre", "40"],
                               [64, 32, 18, 67, 25, 51, 40]),
    "euros a month": (["1.246,50 €/Monat", "950,00 €/Monat"], [1246.5, 950]),
    "millions in words": (["$118 million", "$62.8M", "$1.5 billion"], [118, 62.8, 1500]),
    "square feet": (["1,250 sq ft", "900 sq ft"], [1250, 900]),
    "errors of a spreadsheet": (["#WERT!", "1.5", "#NV", "2"], [np.nan, 1.5, np.nan, 2]),
    "none detected": (["ND", "1.5", "n/d", "2"], [np.nan, 1.5, np.nan, 2]),
    "missing in Stata": ([".", "1.5", ".a", "2", ".z"], [np.nan, 1.5, np.nan, 2, np.nan]),
    "signs without a word": (["?????", "1.5", "****", "2"], [np.nan, 1.5, np.nan, 2]),
    "dashes": (["–3.5", "2.25", "– 1.5"], [-3.5, 2.25, -1.5]),
    "truth in Italian": (["VERO", "FALSO"], [1, 0]),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_numbers_in_texts(name):
    texts, numbers = READ[name]
    frame = pd.DataFrame({"c": texts * 20})
    X = TableTransformer(scale=False).fit_transform(frame)
    expected = np.array(numbers * 20, dtype=float)
    expected[np.isnan(expected)] = np.nanmean(expected)
    assert np.allclose(X[:, 0], expected)


@pytest.mark.parametrize(
    ("texts", "format_"),
    [
        (["2023-05-06", "2024-12-31"], "%Y-%m-%d"),
        (["06/05/2023", "23/05/2024"], "%d/%m/%Y"),
        (["05/06/2023", "05/23/2024"], "%m/%d/%Y"),
        (["6.5.2023", "1.12.2024"], "%d.%m.%Y"),
        (["2023-05-06 10:30", "2024-12-31 23:59"], "%Y-%m-%d %H:%M"),
        (["2023-05-06T10:30:01Z", "2023-05-06T10:30:01.5+02:00"], "%Y-%m-%dT%H:%M:%S"),
        (["2024/03/01 9:00:12 AM GMT+1", "2024/03/02 1:05:00 PM GMT+1"], "%Y/%m/%d %I:%M:%S %p"),
        (["[10/Oct/2023:13:55:36 +0000]"], "%d/%b/%Y:%H:%M:%S"),
        (["Sun, 03 Mar 2024 16:03:02 GMT"], "%d %b %Y %H:%M:%S"),
        (
            ["Wed Aug 27 13:08:45 +0000 2008", "Thu Nov 16 10:22:33 UTC 2023"],
            "%b %d %H:%M:%S %Y",
        ),
        (["2023-05-06 10:30:01.123456789"], "%Y-%m-%d %H:%M:%S"),
        (["May 6, 2023", "Jun 1, 2024"], "%b %d, %Y"),
        (["1 janv. 2024", "22 févr. 2023", "3 mai 2024"], "%d %b %Y"),
        (["5. Dez. 2024", "17. Mai 2023"], "%d. %B %Y"),
        (["03 ene 2024", "14 dic 2023"], "%d %b %Y"),
        (["10:30", "23:59"], "%H:%M"),
        (["14SEP2024", "01MAY2023"], "%d%b%Y"),
        (["14SEP2024:16:32:00", "01MAY2023:09:00:00"], "%d%b%Y:%H:%M:%S"),
        (["27/Jan/24 4:33 PM", "03/Feb/24 10:15 AM"], "%d/%b/%y %I:%M %p"),
        (["Fri Jun 07 2024", "Sat Feb 17 2024"], "%b %d %Y"),
        (["Friday, March 3rd, 2024", "Mon, April 1st, 2024"], "%b %d, %Y"),
        (["Mo, 05.02.2024", "Di., 06.02.2024", "Mittwoch, 07.02.2024"], "%d.%m.%Y"),
        (["segunda-feira, 5 de junho de 2023", "sexta-feira, 9 de maio de 2023"], "%d %b %Y"),
        (["Thu 2024-05-02", "Fri 2024-05-03"], "%Y-%m-%d"),
        (["lundi 1er janvier 2024", "mardi 2 janvier 2024"], "%d %b %Y"),
        (["5 de marzo de 2024", "31 de dezembro de 2023"], "%d %b %Y"),
        (["2024年3月1日(金)", "2023年12月31日（日）"], "%Y年%m月%d日"),
        (["07:45 Uhr", "11:30 Uhr"], "%H:%M"),
        (["6:10 a.m.", "11:30 p. m."], "%I:%M %p"),
        (["31.05.2024", "31.12.9999"], "%d.%m.%Y"),
        (["2024-05-31", "0000-00-00", "9999-12-31 00:00:00"], "%Y-%m-%d"),
        (["March 13, 2024 at 9:52 PM", "April 1, 2024 at 11:00 AM"], "%b %d, %Y %I:%M %p"),
        (["13.03.2024 um 21:52", "01.02.2024 - 07:30"], "%d.%m.%Y %H:%M"),
        (["2024年3月1日", "2023年12月31日"], "%Y年%m月%d日"),
        (["3/15/2024, 1:05:00 PM", "3/1/2024, 9:00:00 AM"], "%m/%d/%Y %I:%M:%S %p"),
        (["2024-W07", "2023-W52"], "%G-W%V"),
        (["2024Q3", "2023Q4"], "%YQ%q"),
        (["10:30 PM", "01:59 am"], "%I:%M %p"),
        (["20240301T100012", "20231231T235959Z"], "%Y%m%dT%H%M%S"),
        (["2024-03-01 10:00 Europe/Berlin", "2024-03-01 11:30 Uhr"], "%Y-%m-%d %H:%M"),
        (["01.2024", "12.2023"], "%m.%Y"),
        (["2024-03-01", "2024-03-01 10:30"], "%Y-%m-%d | %Y-%m-%d %H:%M"),
        (["31.12.2023", "01.02.2024", "30.11.23"], "%d.%m.%Y | %d.%m.%y"),
        (["2024-03-01", "13/02/2024", "Jan 7, 2024"], "%Y-%m-%d | %d/%m/%Y | %b %d, %Y"),
    ],
)
def test_dates_in_texts(texts, format_):
    assert find_reading(Counter(texts)).reading == DateReading(format_)


@pytest.mark.parametrize(
    "texts",
    [["007", "123"], ["3 kg", "2 m"], ["1st", "2nd"], ["C85", "B42"], ["A/5 75560", "370254", "x"],
     ["<50k", ">50k"], ["1 - a", "1 - b", "2", "3", "4"], ["1 - a", "2 - b"],
     ["1", "2-", "2+", "4-"],
     ["+34 669 585 752", "+34 644 221 700"], ["10:00-12:30", "09:00-11:00"],
     ["yes", "no", "maybe"], ["12.34.5", "1.2.3"], ["10-20", "20-30"], ["1,2,3", "4,5"]],
)  # fmt: skip
def test_what_only_looks_like_numbers_stays_text(texts):
    assert find_reading(Counter(texts)).reading is None


def test_a_column_that_does_not_tell_follows_the_others():
    doubtful = ["1,951", "3,394"] * 10
    told = TableTransformer(scale=False).fit(
        pd.DataFrame({"a": doubtful, "b": ["0,5", "1,25"] * 10})
    )
    assert told.transform(pd.DataFrame({"a": doubtful[:1], "b": ["2"]}))[0].tolist() == [1.951, 2]
    alone = pd.DataFrame({"a": doubtful})
    assert TableTransformer(scale=False).fit_transform(alone)[0, 0] == 1951
    assert TableTransformer(scale=False, decimal=",").fit_transform(alone)[0, 0] == 1.951
    month_first = TableTransformer(scale=False, dates={"d": "%m/%d/%Y"})
    X = month_first.fit_transform(pd.DataFrame({"d": ["05/06/2023", "07/06/2023"]}))
    assert X[:, 0].tolist() == [5, 7]


@given(st.floats(-1e9, 1e9).map(lambda number: round(number, 4)))
def test_what_was_written_is_what_is_read(number):
    for decimal, thousands in ((".", ","), (",", "."), (".", "'"), (",", " ")):
        written = f"{number:,.4f}".replace(",", "_").replace(".", decimal).replace("_", thousands)
        assert NumberReading(decimal).value(written) == pytest.approx(number)
        assert NumberReading(decimal, "kg").value(f"{written} kg") == pytest.approx(number)


def test_numbers_written_in_two_ways_are_never_taken_apart():
    cells = [f"{i}.594,60" if i % 2 else f"{i},594.60" for i in range(1, 60)]
    found = find_reading(Counter(cells))
    assert found.reading is None
    assert "some have a decimal comma and some a decimal point" in found.mixture


def test_numbers_without_the_unit_of_the_others_are_not_called_missing():
    found = find_reading(Counter([f"{i}.5%" for i in range(60)] + ["0.4"]))
    assert not found.odd
    assert "different units or signs" in found.mixture


def test_numbers_of_another_size_are_not_in_the_unit_of_the_others():
    cells = [f"{i}.5 kg" for i in range(60)] + [f"{1000 * i}" for i in range(3, 9)]
    assert "different units or signs" in find_reading(Counter(cells)).mixture
    debit = [f"{i}.5 DR" for i in range(60)] + [f"{i}.5" for i in range(9)]
    assert find_reading(Counter(debit)).reading is None
    notes = (
        TableTransformer()
        .fit(pd.DataFrame({"age": ["64 years", "32", "18"] * 9 + ["7", "8 years", "9 years"]}))
        .notes_
    )
    assert (
        "Read as the number in the cell: '32', '18', '7' in 'age' (in years, as the others)."
        in notes
    )


def test_a_point_behind_a_number_is_no_decimal_character():
    rent = [f"{i}.250 €" for i in range(1, 30)] + ["950 €", "700 €"]
    floors = ["1. OG", "2. OG"] * 15 + ["3. OG"]
    told = TableTransformer(scale=False).fit(pd.DataFrame({"rent": rent, "floor": floors}))
    assert told.transform(pd.DataFrame({"rent": rent[:1], "floor": floors[:1]}))[0, 0] == 1250
    assert "'10.250 €' is 10250, and 10.25 with decimal='.'" in " ".join(told.notes_)


def test_columns_that_agree_leave_no_doubt():
    visits = [f"{i},873" for i in range(1, 30)] + ["950"]
    revenue = [f"${i},440.08" for i in range(1, 31)]
    notes = TableTransformer().fit(pd.DataFrame({"visits": visits, "revenue": revenue})).notes_
    assert "'visits' ('10,873' is 10873), 'revenue'" in notes[0]


def test_points_between_thousands_in_a_file_with_commas(tmp_path):
    cells = [f"{i}.{i % 10}50" for i in range(1, 60)] + ["950", "700", "88"]
    (tmp_path / "t.csv").write_text("visits,x\n" + "".join(f"{c},0.5\n" for c in cells))
    raw = read(tmp_path / "t.csv")
    X = TableTransformer(scale=False).fit_transform(raw.frame[["visits"]])
    assert X[[0, 9, -1], 0].tolist() == [1150, 10050, 88]
    decimals = read(tmp_path / "t.csv", decimal=".").frame["visits"]
    assert decimals.iloc[[0, 9, -1]].tolist() == [1.15, 10.05, 88]


def test_points_that_may_be_both_are_said(tmp_path):
    cells = ["808 €", "69 €", *(f"{n}.811 €" for n in range(1, 9))]
    rows = "\n".join(f"{cell};x" for cell in cells)
    (tmp_path / "t.csv").write_text(f"price;kind\n{rows}", encoding="utf-8")
    raw = read(tmp_path / "t.csv", target="kind")
    (note,) = TableTransformer(decimal=raw.decimal).fit(raw.frame[["price"]]).notes_
    assert "('1.811 €' is 1.811, and 1811 with decimal=',')" in note


def test_weeks_and_quarters_are_their_first_days():
    assert str(DateReading("%G-W%V").value("2024-W07")) == "2024-02-12 00:00:00"
    assert str(DateReading("Q%q %Y").value("Q3 2024")) == "2024-07-01 00:00:00"


COUNTED = {
    "Order Date": (45292.5, 1.25, "'45292.5' is 01 January 2024 12:00"),
    "created_at": (1704110400, 3600, "'1704110400' is 01 January 2024 12:00"),
    "timestamp": (1704110400000, 3600000, "'1704110400000' is 01 January 2024 12:00"),
    "x": (20240101, 1, "'20240101' is 01 January 2024"),
    "y": (202401011200, 1, "'202401011200' is 01 January 2024 12:00"),
}


@pytest.mark.parametrize("name", COUNTED)
def test_numbers_that_are_dates(name):
    first, step, words = COUNTED[name]
    frame = pd.DataFrame({name: first + step * np.arange(24), "z": np.sin(np.arange(24))})
    columns = TableTransformer(scale=False).fit(frame)
    assert columns.columns_[0].kind == "date"
    assert words in columns.notes_[0]
    with pytest.raises(TableError, match="must hold cells like"):
        columns.transform(frame.assign(**{name: 1e15 + 0.5}))


def test_numbers_are_dates_if_the_person_says_so():
    frame = pd.DataFrame({"w": 45292 + 1.25 * np.arange(24)})
    columns = TableTransformer(dates={"w": "excel"}).fit(frame)
    assert "'45292' is 01 January 2024" in columns.notes_[0]
    spoken = "%A, %B %d, %Y at %I:%M %p"  # with the words that are else left out
    texts = pd.DataFrame({"w": [f"{day:{spoken}}" for day in pd.date_range("2024", periods=24)]})
    assert TableTransformer(dates={"w": spoken}).fit(texts).columns_[0].kind == "date"


@pytest.mark.parametrize("name", ["weight", "mandate", "candidate", "update"])
def test_numbers_of_other_names_are_no_dates(name):
    frame = pd.DataFrame({name: 45292.5 + 1.25 * np.arange(24)})
    assert TableTransformer().fit(frame).columns_[0].kind == "number"


def test_months_of_a_file_are_not_read_as_numbers(tmp_path):
    lines = [f"{i % 12 + 1:02}.{2015 + i % 9},{i}.5" for i in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["month,x", *lines]))
    columns = TableTransformer().fit(read(tmp_path / "t.csv").frame)
    assert columns.columns_[0].kind == "date"
    assert "'01.2015' is 01 January 2015" in columns.notes_[0]


def test_footnotes_are_said():
    cells = [f"{i}.5{'*' if i % 3 else '**'}" for i in range(30)]
    notes = TableTransformer().fit(pd.DataFrame({"c": cells})).notes_
    assert "Read as the number in the cell: '0.5**', '1.5*', '2.5*' in 'c'." in notes


def test_words():
    assert DateReading("%Y | %b %Y").words("2024") == "'2024' is 01 January 2024, and 2 formats"
    assert DateReading("%H:%M").words("00:00") == "'00:00' is 00:00"
    assert NumberReading(".", "$").words("$1,951.50") == "'$1,951.50' is 1951.5"
    assert DateReading("%d/%m/%Y").words("06/05/2023") == "'06/05/2023' is 06 May 2023"
    assert DateReading("%H:%M").words("10:30") == "'10:30' is 10:30"
    assert TruthReading("yes", "no").words("No") == "'No' is 0"
    assert NumberReading(".", "g").words("4.1 kg") == "'4.1 kg' is 4100 g"
