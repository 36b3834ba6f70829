"""The machinery of experiments: cells, how they are run and kept, how results are written.

Nothing here knows a data set or a method; these are in :mod:`ssrlpl.experiments`.
"""
