"""
What the missing labels cost a map
==================================

The paper's question: how far is the map from the one that full labels would give? Its own bound is
vacuous here; the certificate is not.
"""

from sklearn.datasets import load_digits

from ssrlpl import KernelSSRLPL, certify
from ssrlpl.datasets import hide_labels

X, truth = load_digits(return_X_y=True)
X, truth = X[:1200], truth[:1200]
y = hide_labels(truth, keep=300, random_state=0)
certificate = certify(KernelSSRLPL(), X, y)
certificate.plot()
print(certificate.headline())

# %%
# The numbers behind it, with the paper's Theorem 3 in the last but one line:

print(certificate.table())
