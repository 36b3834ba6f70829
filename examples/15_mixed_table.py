"""
A table as people have it
=========================

Numbers with units, categories, dates and gaps in one DataFrame. ``TableTransformer`` reads them,
says what it made of each column, and does the same to new rows.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline

from ssrlpl import SSRLPLCV, TableTransformer
from ssrlpl.datasets import hide_labels
from ssrlpl.plotting import plot_representation

wine = load_wine(as_frame=True)
rng = np.random.default_rng(0)
table = pd.DataFrame(
    {
        "bottle": [f"B-{number:05}" for number in range(178)],
        "alcohol": [f"{value:.1f} %" for value in wine.data["alcohol"]],
        "color": np.where(wine.data["color_intensity"] > 4.7, "dark", "light"),
        "phenols": wine.data["total_phenols"].where(rng.random(178) > 0.1),
        "flavanoids": wine.data["flavanoids"],
        "proline": [f"{value:,.0f} mg" for value in wine.data["proline"]],
        "tasted": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, 178), "D"),
    }
)
table.head(3)

# %%

names = wine.target_names[wine.target]
y = hide_labels(names, keep=24, random_state=0)
model = make_pipeline(TableTransformer(), SSRLPLCV()).fit(table, y)
print("left out:", model[0].left_out_)
print("columns:", *model[0].get_feature_names_out())

# %%

unlabeled = np.array([label is None for label in y])
right = model.predict(table)[unlabeled] == names[unlabeled]
print(f"right: {right.mean():.1%}")
figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
plot_representation(model.transform(table), y, colored_by=names, ax=ax, title="24 labels of 178")
