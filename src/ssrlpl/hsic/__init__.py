"""The Hilbert-Schmidt independence criterion: estimates and tests of dependence."""

from .estimates import HSICTestResult, hsic, hsic_test

__all__ = ["HSICTestResult", "hsic", "hsic_test"]
