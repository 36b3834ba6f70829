"""Work side by side: in order, the same to the last bit, the user's threads as they were."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_limits

from ssrlpl._core import kernels, products
from ssrlpl._utils import workers
from ssrlpl._utils.workers import AHEAD, blas_threads, in_order, one_blas_thread


@pytest.mark.parametrize("number", [1, 2, 5])
def test_results_come_in_order(number):
    assert list(in_order(lambda i: i * i, range(40), workers=number)) == [i * i for i in range(40)]


def test_two_items_are_worked_on_at_once():
    meeting = threading.Barrier(2, timeout=20)
    list(in_order(lambda _: meeting.wait(), range(4), workers=2))  # alone, nobody would pass


def test_little_is_begun_before_results_are_used():
    begun = []
    results = in_order(begun.append, range(1000), workers=2)
    for _ in range(10):
        next(results)
    results.close()
    assert len(begun) <= 10 + AHEAD * 2


@pytest.fixture
def threads():
    """Return the BLAS threads of the test: four, or as many as this BLAS can be talked into."""
    with threadpool_limits(4, user_api="blas"):
        yield blas_threads()


def test_an_error_reaches_the_caller_and_threads_are_set_back(threads):
    def work(i):
        if i == 3:
            raise ZeroDivisionError("of item 3")
        return i

    with pytest.raises(ZeroDivisionError, match="of item 3"):
        list(in_order(work, range(100), workers=2))
    assert blas_threads() == threads


@pytest.mark.parametrize("number", [2, 3, 4, 9])
def test_workers_share_the_threads_of_matrix_products(number, threads):
    seen = list(in_order(lambda _: blas_threads(), range(8), workers=number))
    assert set(seen) == {max(1, threads // number)}
    assert blas_threads() == threads


def test_threads_are_set_back_after_an_error_in_the_callers_loop(threads):
    class Impatient:
        def advance(self, _):
            raise KeyboardInterrupt

    X = np.random.default_rng(0).normal(size=(2000, 3))
    with pytest.raises(KeyboardInterrupt) as caught:
        products.gram_product(kernels.Kernel("rbf", 0.1), X, X, progress=Impatient())
    assert blas_threads() == threads  # while the traceback, and with it the loop, is still alive
    del caught


def test_many_callers_at_once_leave_the_threads_as_they_were(threads):
    X = np.random.default_rng(0).normal(size=(1000, 3))
    kernel, start = kernels.Kernel("rbf", 0.1), threading.Barrier(4)

    def call(_):
        start.wait()
        return products.gram_product(kernel, X, X)

    for _ in range(10):
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(call, range(4)))
        for one in found:
            np.testing.assert_allclose(one, found[0], rtol=1e-12)
        assert blas_threads() == threads


def test_work_that_has_workers_of_its_own_does_not_wait_for_itself():
    def inner(i):
        return sum(in_order(lambda j: i * j, range(5), workers=2))

    assert list(in_order(inner, range(6), workers=2)) == [10 * i for i in range(6)]


def test_the_users_setting_of_blas_threads_is_respected():
    with threadpool_limits(1, user_api="blas"):
        assert products.product_workers("rbf", 1000, 10) == 1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_kernel_products_do_not_depend_on_the_number_of_workers(dtype, monkeypatch):
    rng = np.random.default_rng(0)
    X, B = rng.normal(size=(1300, 7)).astype(dtype), rng.normal(size=(1300, 3))
    kernel = kernels.Kernel("rbf", 0.1)

    def both(number):
        monkeypatch.setattr(products, "blas_threads", lambda: number)
        return products.gram_product(kernel, X, B), products.cross_product(kernel, X[:900], X, B)

    with threadpool_limits(1, user_api="blas"):
        alone, together = both(1), both(4)
    for one, other in zip(alone, together, strict=True):
        assert_array_equal(one, other)


def test_wide_products_do_not_pile_up_results(monkeypatch):
    monkeypatch.setattr(products, "blas_threads", lambda: 64)
    n, columns = 100_000, 1000
    assert products.product_workers("rbf", n, columns) == 1
    assert products.product_workers("rbf", n, 10) * AHEAD * n * 10 * 8 <= products.WAITING_BYTES
    assert products.product_workers("rbf", 1000, 10) == 64


def test_a_kernel_of_the_users_own_is_never_called_twice_at_once(monkeypatch):
    monkeypatch.setattr(products, "blas_threads", lambda: 8)
    inside = threading.Lock()

    def kernel(A, B):
        assert inside.acquire(blocking=False), "called while another call is running"
        product = A @ B.T
        inside.release()
        return product

    X = np.random.default_rng(0).normal(size=(2100, 3))
    found = products.gram_product(kernels.Kernel(kernel), X, X)
    np.testing.assert_allclose(found, X @ (X.T @ X), rtol=1e-10, atol=1e-8)


class OwnedLibrary:
    """A BLAS as threadpoolctl 3.8 controls it: only the first thread may set it, others in vain."""

    threading_layer, owner, number = "pthreads", None, 4

    @property
    def num_threads(self):
        return self.number

    def set_num_threads(self, number):
        self.owner = self.owner or threading.current_thread()
        if self.owner is threading.current_thread():
            self.number = number

    def clear_controlling_thread(self, *, force=False):
        if force or self.owner is threading.current_thread():
            self.owner = None


class LibraryOfEachThread(threading.local):
    """A BLAS of OpenMP: each thread has a number of its own."""

    threading_layer, num_threads = "openmp", 4

    def set_num_threads(self, number):
        self.num_threads = number


class Libraries:
    def __init__(self):
        self.lib_controllers = [OwnedLibrary(), LibraryOfEachThread()]

    def info(self):
        return [{"num_threads": library.num_threads} for library in self.lib_controllers]


@pytest.fixture
def libraries(monkeypatch):
    found = Libraries()
    monkeypatch.setattr(workers, "_libraries", lambda: found)
    return found


def numbers(libraries):
    return [library.num_threads for library in libraries.lib_controllers]


def test_any_thread_may_ask_for_one_and_the_last_sets_all_back(libraries):
    entered, may_leave = threading.Barrier(2, timeout=20), threading.Event()
    seen = []

    def first():
        with one_blas_thread():
            entered.wait()
            may_leave.wait(20)
            seen.append(numbers(libraries))
        seen.append(libraries.lib_controllers[1].num_threads)

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait()
    with one_blas_thread():
        assert numbers(libraries) == [1, 1]
    assert numbers(libraries) == [1, 4]  # the other thread still needs one
    may_leave.set()
    thread.join()
    assert seen == [[1, 1], 4]
    assert numbers(libraries) == [4, 4]


def test_workers_beside_a_thread_that_needs_one_leave_no_limit_behind(libraries):
    entered, may_leave = threading.Barrier(2, timeout=20), threading.Event()

    def other():
        with one_blas_thread():
            entered.wait()
            may_leave.wait(20)

    thread = threading.Thread(target=other)
    results = in_order(lambda _: numbers(libraries)[0], range(4), workers=2)
    assert next(results) == 2
    thread.start()
    entered.wait()
    assert numbers(libraries)[0] == 1
    list(results)  # the workers end while the other thread still needs one
    assert numbers(libraries)[0] == 1
    may_leave.set()
    thread.join()
    assert numbers(libraries) == [4, 4]
