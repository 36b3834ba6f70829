"""What a model file may contain, and under which names."""

from __future__ import annotations

HOMES = {
    # Estimators of this package, and the classes of their parts.
    "CosineAnchors": "ssrlpl._core.anchors",
    "EuclideanAnchors": "ssrlpl._core.anchors",
    "KernelAnchors": "ssrlpl._core.anchors",
    "NeighborGraph": "ssrlpl._core.neighbor_graph",
    "NeighborSearch": "ssrlpl._core.neighbor_graph",
    "Kernel": "ssrlpl._core.kernels",
    "CrossMoment": "ssrlpl._core.moments",
    "LabelReading": "ssrlpl._core.readout",
    "NearestReading": "ssrlpl._core.readout",
    "Voters": "ssrlpl._core.votes",
    "Trees": "ssrlpl._core.trees",
    "LabeledForest": "ssrlpl.learners.labeled_forest",
    "LabeledOnly": "ssrlpl.any_estimator",
    "MixtureClassifier": "ssrlpl.mixture",
    "SSRLPLClassifier": "ssrlpl.classify",
    "Comparison": "ssrlpl.guarantee.paired",
    "GivenLabels": "ssrlpl.labelers.given",
    "GraphLabeler": "ssrlpl.labelers.graph",
    "KNNLabeler": "ssrlpl.labelers.knn",
    "KernelSSRLPL": "ssrlpl.maps.kernel",
    "LabeledRidge": "ssrlpl.maps.ridge",
    "RootScaler": "ssrlpl.root_scaler",
    "SSRLPL": "ssrlpl.maps.linear",
    "SSRLPLCV": "ssrlpl.model_selection.search",
    "CategoryColumn": "ssrlpl.tables.encoded_columns",
    "ChoicesColumn": "ssrlpl.tables.grouped_columns",
    "DateColumn": "ssrlpl.tables.encoded_columns",
    "EmbeddedTextColumn": "ssrlpl.tables.embedded_text",
    "ImageColumn": "ssrlpl.tables.image_columns",
    "MarkColumn": "ssrlpl.tables.encoded_columns",
    "NumberColumn": "ssrlpl.tables.encoded_columns",
    "SeveralColumn": "ssrlpl.tables.grouped_columns",
    "TextColumn": "ssrlpl.tables.encoded_columns",
    "CompoundReading": "ssrlpl.tables.compound_cells",
    "PlaceReading": "ssrlpl.tables.compound_cells",
    "SeveralReading": "ssrlpl.tables.compound_cells",
    "DateReading": "ssrlpl.tables.readings",
    "DurationReading": "ssrlpl.tables.readings",
    "Found": "ssrlpl.tables.found_readings",
    "NumberReading": "ssrlpl.tables.written_numbers",
    "TruthReading": "ssrlpl.tables.readings",
    "TableTransformer": "ssrlpl.tables.transformer",
    "PublishedModel": "ssrlpl.job.published_model",
    "HarmonicFunctions": "ssrlpl.baselines.harmonic",
    "LDS": "ssrlpl.baselines.lds",
    "LapRLS": "ssrlpl.baselines.lap_rls",
    "LapSVM": "ssrlpl.baselines.lap_svm",
    "LapSVMPrimal": "ssrlpl.baselines.lap_svm_primal",
    "PathEmbedding": "ssrlpl._core.path_embedding",
    "SemiKSC": "ssrlpl.baselines.semi_ksc",
    "TransductiveSVM": "ssrlpl.baselines.transductive_svm",
    "PoissonLearning": "ssrlpl.baselines.poisson",
    "GraphMincut": "ssrlpl.baselines.mincut",
    "LinearNeighborhoodPropagation": "ssrlpl.baselines.linear_neighborhood",
    "SparseNeighborhoodPropagation": "ssrlpl.baselines.sparse_neighborhood",
    "PairwisePropagation": "ssrlpl.baselines.pairwise",
    "DKSVD": "ssrlpl.baselines.dictionary.dksvd",
    "LCKSVD": "ssrlpl.baselines.dictionary.lcksvd",
    "FDDL": "ssrlpl.baselines.dictionary.fddl",
    "OSSDL": "ssrlpl.baselines.dictionary.ossdl",
    "S2D2": "ssrlpl.baselines.dictionary.s2d2",
    # Pure functions with which KNNLabeler weights distances; partial fixes their bandwidth.
    "cosine_weights": "ssrlpl._core.votes",
    "inverse_distance_weights": "ssrlpl._core.votes",
    "rbf_weights": "ssrlpl._core.votes",
    "uniform_weights": "ssrlpl._core.votes",
}
"""Modules of the classes and functions of this package that a model file may contain.

A file contains ``ssrlpl.Kernel``, not the module of the class, so that files stay readable when
modules are renamed. Format 1 wrote the full module name; only its last part is used.
"""

_PACKAGE = "ssrlpl"

_PART_OF_FORMAT_1 = ("ssrlpl.model_selection.format1", "Part")
_FORMAT_1 = dict.fromkeys(("Candidate", "Member", "Space"), _PART_OF_FORMAT_1)
"""Classes in files of format 1 that no longer exist, and their replacement."""

TRUSTED = (
    *(f"{module}.{name}" for name, module in HOMES.items()),
    ".".join(_PART_OF_FORMAT_1),
    "functools.partial",
    # Parts of estimators that are plain data, and neighbor search trees, which do not check their
    # arrays: a manipulated tree can crash the process, but not execute code. Decision trees have
    # the same problem and are not trusted, as in skops: LabeledForest has arrays in their place.
    "numpy.dtype",
    "scipy.sparse._csr.csr_array",
    "scipy.sparse._csr.csr_matrix",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
    "sklearn.gaussian_process.kernels.ConstantKernel",
    "sklearn.gaussian_process.kernels.Product",
    "sklearn.gaussian_process.kernels.RBF",
    "sklearn.metrics._dist_metrics.EuclideanDistance32",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._ball_tree.BallTree",
    "sklearn.neighbors._ball_tree.BallTree32",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.neighbors._kd_tree.KDTree32",
)
"""Types and functions that a model file may contain, besides scikit-learn's public estimators."""


def name_in_file(module: str, name: str) -> tuple[str, str]:
    """Return module and name of a class or function as a file has them."""
    return (_PACKAGE if _is_ours(module) else module), name


def name_in_code(module: str, name: str) -> tuple[str, str]:
    """Return the present module and name of a class or function in a file."""
    if not _is_ours(module):
        return module, name
    return _FORMAT_1.get(name, (HOMES.get(name, module), name))


def _is_ours(module: str) -> bool:
    return module == _PACKAGE or module.startswith(f"{_PACKAGE}.")
