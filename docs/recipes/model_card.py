"""skops: a section of a model card with the ways of one person and an audit of everybody."""

from skops import card

import facelift as fl
from facelift.models import small_classifier

credit = fl.datasets.load_german_credit()
X = credit.data
model = small_classifier(X, credit.target)
terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(X))
explainer = fl.FACElift(model, terrain, steps="actions", n_counterfactuals=3).fit(X)
ways = explainer.explain(X.iloc[4], target="good")
declined = X[model.predict(X) == "bad"].head(20)
audit = fl.audit(explainer, declined, by="housing", target="good")

text = card.Card(model)
text.add(**{"Ways out": "What people whom this model declines can do."})
steps = ways.to_frame()[["journey", "step", "feature", "from", "to", "probability"]].round(2)
text.add_table(folded=False, **{"Ways out of one person": steps.astype(str)})
groups = audit[["n", "coverage", "cost"]].round(2).reset_index()
text.add_table(folded=False, **{"Who has a way out": groups.astype(str)})
print("\n".join(text.render().partition("# Ways out")[2].splitlines()[:30]))
