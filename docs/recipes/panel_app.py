"""Panel: the navigator beside your own controls. Start with `panel serve panel_app.py`."""

import panel as pn

import facelift as fl
from facelift.models import small_classifier

pn.extension("ipywidgets")
credit = fl.datasets.load_german_credit()
model = small_classifier(credit.data, credit.target)
terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(credit.data))
explainer = fl.FACElift(model, terrain, steps="actions").fit(credit.data)
row = pn.widgets.IntInput(name="Applicant", value=4, start=0, end=len(credit.data) - 1)


def ways(number: int) -> pn.viewable.Viewable:
    """The navigator of one applicant."""
    found = explainer.explain(credit.data.iloc[number], target="good")
    return pn.panel(fl.views.widget(found, title=f"Applicant {number}"))


pn.Column(row, pn.bind(ways, row)).servable(title="Ways to a loan")
