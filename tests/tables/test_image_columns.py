"""Folders of pictures become tables, and pictures become numbers that tell them apart."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from command_line import printed_table, refused, run
from ssrlpl import TableTransformer, load, save
from ssrlpl.tables import TableError, read
from ssrlpl.tables.image_columns import picture_features
from table_samples import pd

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def photos(tmp_path, monkeypatch):
    """Digits 0, 1 and 4 as pictures, in subfolders: four a class labeled, the others not."""
    monkeypatch.chdir(tmp_path)
    X, y = load_digits(return_X_y=True)
    truth = {}
    for number, label in enumerate((0, 1, 4)):
        for i, row in enumerate(np.flatnonzero(y == label)[:20]):
            folder = tmp_path / "photos" / (f"digit {label}" if i < 4 else "Unlabeled")
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{i * 3 + number:03}.png"
            Image.fromarray((X[row].reshape(8, 8) * 15).astype(np.uint8)).resize((40, 50)).save(
                path
            )
            truth[str(path.relative_to(tmp_path))] = f"digit {label}"
    (tmp_path / "photos" / "readme.txt").write_text("not a picture")
    return truth


def test_a_folder_is_a_table_whose_subfolders_are_the_labels(photos):
    result = run("fit", "photos", "--method", "kernel", "--no-certify")
    assert "60 pictures were found in photos; subfolders are the labels (digit 0," in result.stderr
    labels = pd.read_csv("photos-ssrlpl/labels.csv")
    assert labels["given"].sum() == 12
    right = labels["label"] == labels["row"].map(photos)
    assert right[labels["given"]].all()
    assert right[~labels["given"]].mean() > 0.9
    again = printed_table("predict", "photos-ssrlpl/model.ssrlpl", "photos/Unlabeled")
    assert again["row"].str.startswith("photos/Unlabeled/").all()
    wanted = labels[~labels["given"]]
    assert again["label"].tolist() == wanted.set_index("row")["label"][again["row"]].tolist()


def test_pictures_named_by_a_table_beside_other_columns(photos):
    names = [path.removeprefix("photos/") for path in photos]
    labels = [v if i % 5 == 0 else None for i, v in enumerate(photos.values())]
    frame = pd.DataFrame({"file": names, "weight": np.arange(60) % 7, "kind": labels})
    frame.loc[2, "file"] = None
    frame.to_csv("t.csv", index=False)
    printed = run("inspect", "t.csv", "--target", "kind", "--images", "photos").stdout
    assert "edges and colors of its pictures, in 59 columns" in printed
    run(
        "fit",
        "t.csv",
        "--target",
        "kind",
        "--images",
        "photos",
        "--method",
        "kernel",
        "--no-certify",
    )
    found = pd.read_csv("t-ssrlpl/labels.csv")["label"]
    assert (found == list(photos.values())).drop(2).mean() > 0.9
    assert "no column of the table has names of pictures" in refused(
        "fit", "t.csv", "--target", "kind", "--images", "t-ssrlpl", "--out", "o"
    )
    assert "There is no folder nothing" in refused(
        "fit", "t.csv", "--target", "kind", "--images", "nothing", "--out", "o"
    )
    frame.loc[3, "file"] = "lost.png"
    frame.to_csv("t.csv", index=False)
    with pytest.raises(TableError, match="lost.png, which is not there"):
        read("t.csv", target="kind", images="photos")


def test_they_are_encoded_the_same_in_a_saved_model(photos, tmp_path):
    frame = pd.DataFrame({"image": list(photos)})
    columns = TableTransformer(images=["image"]).fit(frame)
    save(columns, tmp_path / "model")
    Z = columns.transform(frame)
    assert np.array_equal(load(tmp_path / "model").transform(frame), Z)
    assert np.allclose(Z.mean(axis=0), 0)
    assert Z.var(axis=0, ddof=1).max() == pytest.approx(1)
    assert columns.transform(pd.DataFrame({"image": [None]})).tolist() == [[0.0] * Z.shape[1]]


def test_edges_are_counted_by_their_angle(tmp_path):
    upright = np.zeros((64, 64), dtype=np.uint8)
    upright[:, 32:] = 255
    for pixels, angle in ((upright, 0), (upright.T, np.pi / 2)):
        Image.fromarray(pixels).save(tmp_path / "edge.png")
        edges = picture_features(str(tmp_path / "edge.png"))[: 8 * 8 * 9].reshape(64, 9) ** 2
        places = angle * 9 / np.pi  # between two of nine angles
        assert edges.sum(axis=0)[[int(places), (int(places) + 1) % 9]].sum() == pytest.approx(1)
    darker = upright // 2
    Image.fromarray(darker).save(tmp_path / "dark.png")
    Image.fromarray(upright).save(tmp_path / "edge.png")
    light, dark = (picture_features(str(tmp_path / f"{n}.png"))[:576] for n in ("edge", "dark"))
    assert np.allclose(light, dark)


def test_folders_and_files_that_are_no_pictures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    assert "a folder without pictures" in refused("fit", "empty")
    (tmp_path / "empty" / "a.png").write_bytes(b"no picture")
    (tmp_path / "empty" / "b.png").write_bytes(b"no picture")
    with pytest.raises(TableError, match="a.png cannot be read"):
        TableTransformer(images=["image"]).fit(read("empty").frame)
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    with pytest.raises(TableError, match=r"pip install 'ssrlpl\[images\]'"):
        TableTransformer(images=["image"]).fit(read("empty").frame)
    assert "--target must name the column of the labels: 'ssrlpl inspect t.csv'" in refused(
        "fit", "t.csv"
    )
