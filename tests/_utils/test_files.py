import os
import stat
import threading

import pytest

from ssrlpl._utils.files import whole_file


def write(path, content):
    with whole_file(path) as partial:
        partial.write_bytes(content)


def test_a_file_is_complete_or_as_it_was(tmp_path):
    path = tmp_path / "out.csv"
    write(path, b"first")
    with pytest.raises(TypeError), whole_file(path) as partial, partial.open("wb") as file:
        file.write(b"half") + file.write(None)
    assert path.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_link_is_followed(tmp_path):
    path, link = tmp_path / "out.csv", tmp_path / "latest.csv"
    write(path, b"first")
    link.symlink_to(path)
    write(link, b"second")
    assert link.is_symlink()
    assert path.read_bytes() == b"second"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names on this system")
def test_what_is_no_regular_file_is_never_replaced(tmp_path):
    # As root, /dev/null became a regular file.
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write(pipe, b"all of it")
    reader.join(timeout=10)
    assert read == [b"all of it"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
