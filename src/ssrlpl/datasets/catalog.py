"""What is known of each real data set: what it is, who to cite, which files it comes as."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scipy import io

from . import convert
from .layout import Contents, read_npz
from .sources import Fetcher, Form, Record, cache_folder


def mat_reader(convert: Callable[[Mapping[str, Any]], Contents]) -> Callable[[Path], Contents]:
    """Return a reader of MATLAB files from a converter of what is in them."""
    return lambda path: convert(io.loadmat(path))


def openml(name: str, convert: Callable[[Any, Any], Contents]) -> Fetcher:
    """Return a fetcher of version 1 of an OpenML data set.

    scikit-learn compares it with OpenML's own checksum.
    """

    def fetch() -> Contents:
        from sklearn.datasets import fetch_openml

        try:
            # The folder is for one call: what is kept is our own file.
            with tempfile.TemporaryDirectory(dir=cache_folder()) as home:
                table = fetch_openml(
                    name, version=1, as_frame=False, data_home=home, parser="pandas"
                )
        except ImportError as error:
            raise ImportError("OpenML needs pandas: pip install 'ssrlpl[data]'") from error
        return convert(table.data, table.target)

    return Fetcher(f"OpenML {name}", fetch)


def _coil20_from_table(X: Any, y: Any) -> Contents:
    scale = 255.0 if X.max() > 1 else 1.0
    return convert.coil20_from_mat({"fea": X / scale, "gnd": convert.label_numbers(y)})


MNIST = Record(
    name="MNIST",
    description="70,000 images of handwritten digits, 28 x 28, the first 60,000 for training",
    source="the four idx files of MNIST; OpenML mnist_784",
    citation=(
        "Y. LeCun, L. Bottou, Y. Bengio and P. Haffner, Gradient-based learning applied to"
        " document recognition, Proceedings of the IEEE 86(11), 1998."
    ),
    forms=(Form("mnist.npz", read_npz),),
    fetchers=(openml("mnist_784", convert.mnist_from_table),),
    shape=(70_000, 784),
    fingerprint="09393aeb01e8e05f732ea2964fb42f8f7ce4cf47ef3ba62229a5ced217fc34e6",
)

USPS = Record(
    name="USPS",
    description="11,000 images of handwritten digits, 16 x 16 column by column, 1,100 of each",
    source="S. Roweis's usps_all.mat",
    citation=(
        "J. J. Hull, A database for handwritten text recognition research, IEEE Transactions on"
        " Pattern Analysis and Machine Intelligence 16(5), 1994."
    ),
    forms=(
        Form("usps_11000.npz", read_npz),
        Form(
            "usps_all.mat",
            mat_reader(convert.usps_from_mat),
            url="https://cs.nyu.edu/~roweis/data/usps_all.mat",
        ),
    ),
    shape=(11_000, 256),
    fingerprint="2155009b9268d361855ac7a2ef5b3574a4057052a7c95bb2c64ea087be0a82dc",
)

COIL20 = Record(
    name="COIL-20",
    description="1,440 images of 20 objects, 72 views of each, 32 x 32 column by column",
    source="D. Cai's COIL20.mat; OpenML coil-20",
    citation=(
        "S. A. Nene, S. K. Nayar and H. Murase, Columbia Object Image Library (COIL-20),"
        " Technical Report CUCS-005-96, Columbia University, 1996."
    ),
    forms=(
        Form("coil20.npz", read_npz),
        Form(
            "COIL20.mat",
            mat_reader(convert.coil20_from_mat),
            url="http://www.cad.zju.edu.cn/home/dengcai/Data/COIL20/COIL20.mat",
        ),
    ),
    fetchers=(openml("coil-20", _coil20_from_table),),
    shape=(1_440, 1_024),
    fingerprint="f9ae33932160b929303049a13ee3ff2bf6613063e8fe38dd4b71f0be6138293e",
)

_UMIST_CITATION = (
    "D. B. Graham and N. M. Allinson, Characterising virtual eigensignatures for general purpose"
    " face recognition, in Face Recognition: From Theory to Applications, NATO ASI Series F 163,"
    " 1998."
)

UMIST = Record(
    name="UMIST",
    description=(
        "575 images of the faces of 20 people, 28 x 23 column by column; 10 are exact duplicates"
    ),
    source="S. Roweis's umist_cropped.mat; OpenML UMIST_Faces_Cropped",
    citation=_UMIST_CITATION,
    forms=(
        Form("umist_28x23.npz", read_npz),
        Form(
            "umist_cropped.mat",
            mat_reader(convert.umist_from_mat),
            url="https://cs.nyu.edu/~roweis/data/umist_cropped.mat",
        ),
    ),
    fetchers=(openml("UMIST_Faces_Cropped", convert.umist_from_table),),
    shape=(575, 644),
)

UMIST_32 = Record(
    name="UMIST",
    description="575 images of the faces of 20 people, 32 x 32; 10 are exact duplicates",
    source="a file umist.npz of your own; the 28 x 23 images can be downloaded",
    citation=_UMIST_CITATION,
    forms=(Form("umist.npz", read_npz),),
    shape=(575, 1_024),
)

SBDATA = Record(
    name="SBData",
    description="3,192 images of 40 Sheffield buildings, 638 features",
    source="J. Li and N. Allinson's Sheffield Building Image Dataset; not public in this form",
    citation=(
        "J. Li and N. M. Allinson, Subspace learning-based dimensionality reduction in building"
        " recognition, Neurocomputing 73(1-3), 2009."
    ),
    forms=(Form("sbdata.npz", read_npz), Form("sbdata.mat", mat_reader(convert.xy_from_mat))),
    shape=(3_192, 638),
)
