"""The documentation site: `make docs` builds it into build/site."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "hermite_analytics"
author = "The hermite_analytics authors"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "drawn_figures",
    "language_table",
    "mathml",
    "navigation",
    "plain_docstrings",
    "see_also",
    "vocabulary",
]
templates_path = ["_templates"]
exclude_patterns = ["_extensions", "_static", "_templates"]
# every reference resolves, but for names of Python's library and of SymPy, whose pages are not here, and a
# run that a solution carries, to be handed back and not to be read
nitpicky = True
nitpick_ignore_regex = [("py:class", "Path|Executor|Expr|Symbol|FinishedRun")]
# formulas are MathML and fonts the system's: a page asks for nothing from a network
html_math_renderer = "mathml"
html_theme = "furo"
html_title = "hermite_analytics"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_style = "friendly"

# notebooks are shown with the outputs that they are committed with; a test executes them
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_ivar = True
