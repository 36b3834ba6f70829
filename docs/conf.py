"""The site, built by ``make docs``; it is read without a network."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from ssrlpl import __version__

project = "ssrlpl"
author = "the ssrlpl developers"
project_copyright = f"{author}, BSD-3-Clause"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "code_changes",
    "kept_together",
    "local_mathjax",
    "ran_code",
    "reference_pages",
    "repository_pages",
    "which_picture",
]
root_doc = "index"
exclude_patterns = ["_checks", "_ext", "images", "gallery/*.ipynb", "gallery/*.py"]
templates_path = ["_templates"]
smartquotes = False  # "--out" must not become a dash: people copy options from these pages
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types in docstrings are words, not links

# Markdown
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

# The reference
autosummary_generate = True
toc_object_entries_show_parents = "hide"  # "fit()" fits beside the page
autodoc_preserve_defaults = True  # "dtype=np.float64", as it is written
autodoc_typehints = "none"  # the docstrings say it in words
numpydoc_show_class_members = False  # the template of a class lists them
numpydoc_use_plots = False

# The gallery: run while the site is built; what did not change is taken from the last build.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/(\d\d_)",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("ssrlpl",),
    "remove_config_comments": True,
    "capture_repr": ("_repr_html_",),
    "plot_gallery": True,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "min_reported_time": 0,
    "show_memory": False,
    "image_srcset": ["2x"],
    "matplotlib_animations": False,
    "reset_modules": ("matplotlib", "figure_look.reset"),
    "show_signature": False,
    "write_computation_times": False,
}

# How it looks
html_theme = "pydata_sphinx_theme"
html_title = "ssrlpl"
html_short_title = "ssrlpl"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {
        "text": f"ssrlpl {release}",
        "image_light": "_static/favicon.svg",
        "image_dark": "_static/favicon.svg",
    },
    "header_links_before_dropdown": 7,
    "icon_links": [
        {"name": "Source", "url": "https://github.com/ssrlpl/ssrlpl", "icon": "fa-brands fa-github"}
    ],
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system says
html_sidebars = {"index": [], "start": []}
