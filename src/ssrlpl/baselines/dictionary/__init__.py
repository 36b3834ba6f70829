"""Published dictionary methods: rows as sparse combinations of learned atoms, one file each.

Their settings have no grid: a label left out costs a dictionary. Defaults are those of the original
papers where these name one for all data; the number of entries of a code was chosen among 3, 5, 10
and 20 on scikit-learn's digits with 5 and 20 labels a class.
"""

from .dksvd import DKSVD
from .lcksvd import LCKSVD

__all__ = ["DKSVD", "LCKSVD"]
