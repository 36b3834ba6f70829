"""Files that are not UTF-8: the encoding is found, or said to be unsure."""

import pytest

from ssrlpl.tables import read
from ssrlpl.tables.encodings import guess

WRITTEN = {
    "German": ("Länge,größe,Art\n1,2,Kätzchen\n1,2,Hündin\n", ("cp1252", "cp850", "mac_roman")),
    "French": ("équipe,durée,coût\n1,2,forêt\n2,3,à Île\n", ("cp1252", "cp850", "mac_roman")),
    "Swedish": ("längd,färg,måtten\n1,2,Göteborg\n", ("cp1252", "cp850", "mac_roman")),
    "Icelandic": ("lengd,þyngd,litur\n1,2,hæð\n2,3,Reykjavík\n", ("cp1252",)),
    "Turkish": ("uzunluğu,ağırlık,tür\n1,2,kedi\n2,3,İstanbul\n", ("cp1254",)),
    "Polish": ("długość,waga,gatunek\n1,2,żółw\n2,3,Łódź\n", ("cp1250", "iso8859_2")),
    "Russian": ("длина,вес,вид\n1,2,кошка\n1,2,Москва\n", ("koi8_r", "cp866", "iso8859_5")),
    "Greek": ("μήκος,βάρος,είδος\n1,2,σκύλος\n2,3,Αθήνα\n", ("cp1253",)),
    "Arabic": ("الطول,الوزن,النوع\n1,2,قط\n2,3,كلب\n", ("cp1256",)),
    "Thai": ("ความยาว,น้ำหนัก,ชนิด\n1,2,แมว\n2,3,สุนัข\n", ("cp874",)),
    "signs": ("temp [°C],area (m²),dose µg\n1,2,3\n", ("cp1252",)),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(text, encoding) for text, encodings in WRITTEN.values() for encoding in encodings],
)
def test_words_tell_the_encoding(text, encoding):
    assert guess(text.encode(encoding))[0] == encoding


HARD = {
    "סוג": ("cp1255", "אורך,סוג\n1,חתול\n"),
    "种类": ("gb18030", "长度,种类\n1,猫\n"),
    "종류": ("cp949", "길이,종류\n1,고양이\n"),
    "種類": ("cp932", "長さ,種類\n1,ネコ\n"),
    "вид": ("cp1251", "длина,вид\n1,кошка\n"),
    "niño": ("mac_roman", "tamaño,niño\n1,España\n"),
}


@pytest.mark.parametrize("target", HARD)
def test_the_name_of_the_target_tells_the_encoding(target, tmp_path):
    encoding, text = HARD[target]
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    raw = read(tmp_path / "t.csv", target=target)
    assert target in raw.frame.columns
    assert not any("not sure" in note for note in raw.notes)


def test_what_is_not_sure_is_said(tmp_path):
    (tmp_path / "t.csv").write_bytes("אורך,art\n1,חתול\n".encode("cp1255"))
    notes = " ".join(read(tmp_path / "t.csv").notes)
    assert "The encoding of t.csv is not sure: by " in notes
    assert "if they look wrong, name another with encoding=" in notes
    right = read(tmp_path / "t.csv", encoding="cp1255")
    assert right.frame.columns[0] == "אורך"
    assert not any("not sure" in note for note in right.notes)
