"""nbconvert and Quarto: a document in which multiverses show themselves, without any script."""

import sys
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from nbconvert.preprocessors import ExecutePreprocessor

CELLS = [
    "import facelift as fl\nfrom facelift.models import small_classifier",
    "credit = fl.datasets.load_german_credit()\n"
    "model = small_classifier(credit.data, credit.target)\n"
    "terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(credit.data))\n"
    "explainer = fl.FACElift(model, terrain, steps='actions').fit(credit.data)",
    "explainer.explain(credit.data.iloc[4], target='good')",
]
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
ExecutePreprocessor(kernel_name="python3").preprocess(notebook)
page, _ = HTMLExporter(exclude_input=True).from_notebook_node(notebook)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
(folder / "ways.html").write_text(page, encoding="utf-8")
print("a map of the ways:", "<svg" in page)
