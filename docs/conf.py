"""The site: `sphinx-build -W -n docs site` makes it, and no page of it fetches from elsewhere.

One part does when somebody opens it: the demo in the folder `try`, which loads Python.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

from facelift import __version__
from facelift.web.publishing import publish

project = "facelift"
author = "The facelift developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_click",
    "sphinx_copybutton",
]
default_role = "code"
smartquotes_action = "q"  # two hyphens begin an option
highlight_language = "none"  # indented blocks are commands, formulas and files
myst_heading_anchors = 3
autodoc_member_order = "bysource"
maximum_signature_line_length = 90
numpydoc_show_class_members = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "facelift"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_logo = html_favicon = "static/mark.svg"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b56a8",
        "color-brand-content": "#0b56a8",
        "color-sidebar-link-text": "#4f5763",
        "color-sidebar-link-text--top-level": "#4f5763",
        "code-font-size": "0.8rem",
    },
    "dark_css_variables": {
        "color-sidebar-link-text": "#b6bec9",
        "color-sidebar-link-text--top-level": "#b6bec9",
    },
}
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False


def setup(app: Sphinx) -> None:
    """Called by Sphinx: how blocks and signatures are shown, and which members are not."""
    app.connect("doctree-read", without_last_lines)
    app.connect("autodoc-process-signature", as_written)
    app.connect("autodoc-skip-member", requests_of_others)
    app.connect("missing-reference", type_by_its_short_name)
    app.connect("build-finished", with_the_demo)


def with_the_demo(app: Sphinx, fault: Exception | None) -> None:
    """The demo, with Python in the visitor's browser, beside the pages."""
    if fault is None and app.builder.format == "html":
        publish(Path(app.outdir) / "try")


def without_last_lines(_app: Sphinx, page: nodes.document) -> None:
    """Examples end with an empty line, which doctest needs and readers do not."""
    for block in page.findall(nodes.literal_block):
        block.rawsource = block.astext().rstrip()
        block[:] = [nodes.Text(block.rawsource)]


class Written(str):
    """An annotation that is shown as it stands in the source."""

    __slots__ = ()
    __repr__ = str.__str__


def as_written(_app: Sphinx, kind: str, _name: str, thing: Any, *_: Any) -> tuple[str, str] | None:
    """A signature with the source's own annotations, where autodoc would spell out every alias."""
    if kind not in ("function", "method", "class"):
        return None
    signature = inspect.signature(thing)
    bound = kind == "method" and not inspect.ismethod(thing)
    parameters = [
        each if each.annotation is each.empty else each.replace(annotation=Written(each.annotation))
        for each in list(signature.parameters.values())[int(bound) :]
    ]
    returned = signature.return_annotation
    shown = signature.replace(parameters=parameters, return_annotation=signature.empty)
    return str(shown), "" if kind == "class" or returned is signature.empty else str(returned)


def requests_of_others(
    _app: Sphinx, _kind: str, name: str, _thing: Any, skip: bool, _options: Any
) -> bool:
    """Leave out `set_fit_request` and the like, which scikit-learn adds to every estimator."""
    return skip or (name.startswith("set_") and name.endswith("_request"))


def type_by_its_short_name(
    app: Sphinx, env: BuildEnvironment, reference: pending_xref, shown: nodes.TextElement
) -> nodes.Element | None:
    """Types in signatures lead to their entries, and are plain words where they have none."""
    if reference.get("reftype") != "class":
        return None
    found = env.domains.python_domain.find_obj(env, "", "", reference["reftarget"], "class", 1)
    if len(found) != 1:
        return shown
    name, entry = found[0]
    return make_refnode(app.builder, reference["refdoc"], entry.docname, entry.node_id, shown, name)
