"""Map and merge: the tree is fixed, and bits do not depend on addresses or threads."""

import threading

import dask
import numpy as np
import pytest
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_info

from ssrlpl._utils.workers import one_blas_thread
from ssrlpl.distributed.engine import Later, aligned, collected, each, merged


def pair(left, right):
    return f"({left}{right})"


def say(value):
    return value


@pytest.mark.parametrize("n", range(1, 18))
def test_both_engines_merge_in_the_same_tree(n):
    letters = [chr(ord("a") + i) for i in range(n)]
    here = merged(each(say, letters), pair)
    parts = [dask.delayed(letter) for letter in letters]
    with dask.config.set(scheduler="threads"):
        assert merged(each(say, parts), pair) == here
    assert here.replace("(", "").replace(")", "") == "".join(letters)
    depth = np.cumsum([(c == "(") - (c == ")") for c in here]).max()
    assert depth == int(np.ceil(np.log2(n)))


def test_parts_without_a_value_count_for_nothing():
    assert merged(each(say, ["a", None, None, "b", None]), pair) == "(ab)"
    assert merged(each(say, [None, None]), pair) is None


def test_a_stream_holds_one_value_for_each_round_of_the_tree():
    alive, most = 0, 0

    class Counted:
        def __init__(self):
            nonlocal alive, most
            alive += 1
            most = max(most, alive)

        def __del__(self):
            nonlocal alive
            alive -= 1

    merged([Later(Counted) for _ in range(256)], lambda left, right: Counted())
    assert most <= 12


def shifted(values, offset):
    """Return the same array at an address that is ``offset`` bytes beside a multiple of 64."""
    room = np.empty(values.nbytes + 128, dtype=np.uint8)
    start = -room.ctypes.data % 64 + offset
    copy = room[start : start + values.nbytes].view(np.uint8)
    copy[:] = np.frombuffer(values.tobytes(), np.uint8)
    return copy.view(values.dtype).reshape(values.shape)


class Holder(BaseEstimator):
    def __init__(self, values):
        self.values = values


@pytest.mark.parametrize("offset", [0, 1, 8, 63])
def test_arrays_come_to_aligned_addresses_wherever_they_are(offset):
    values = shifted(np.random.default_rng(0).normal(size=(50, 3)), offset)
    for given in (values, [values, "text"], Holder(values), {"a": values.T}):
        found = aligned(given)
        array = {list: lambda f: f[0], Holder: lambda f: f.values, dict: lambda f: f["a"].T}.get(
            type(given), lambda f: f
        )(found)
        assert array.ctypes.data % 64 == 0
        assert np.array_equal(array, values)


def total(values):
    return float(values.sum()), float((values @ values).sum())


def test_sums_of_a_part_do_not_depend_on_addresses():
    values = np.random.default_rng(0).normal(size=30_001).astype(np.float32)
    found = collected([Later(total, (shifted(values, i),)) for i in (0, 1, 2, 3, 4, 8, 60)])
    assert len(set(found)) == 1


def test_the_last_of_several_threads_restores_the_blas_threads():
    def threads():
        return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

    before, inside = threads(), threading.Barrier(2)

    def work():
        with one_blas_thread():
            inside.wait()
            assert set(threads()) == {1}

    other = threading.Thread(target=work)
    with one_blas_thread():
        other.start()
        inside.wait()
        other.join()
        assert set(threads()) == {1}
    assert threads() == before


def test_a_function_that_only_takes_rows_out_gets_them_as_they_are():
    values = shifted(np.arange(6.0), 8)
    assert collected(each(say, [values], steady=False))[0] is values
    assert collected(each(say, [values]))[0] is not values
