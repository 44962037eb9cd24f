"""MLflow: log an explainer together with its model, load both, ask for ways."""

import json
import tempfile
from pathlib import Path

import mlflow
import pandas as pd
from mlflow.pyfunc import PythonModel

import facelift as fl
from facelift.models import small_classifier


class Ways(PythonModel):
    """A saved explainer and its model: from rows to the steps of the way we recommend."""

    def load_context(self, context) -> None:
        folder = Path(context.artifacts["explainer"])
        model = fl.load_model(context.artifacts["model"], trust_pickle=True)  # we wrote it below
        self.explainer = fl.FACElift.load(folder, model=model)

    def predict(self, context, model_input: pd.DataFrame, params=None) -> list[str]:
        found = self.explainer.explain_many(model_input, target="good", progress=False)
        return [fl.recommend(ways).to_frame().to_json() if ways else "{}" for ways in found]


credit = fl.datasets.load_german_credit()
model = small_classifier(credit.data, credit.target)
terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(credit.data))
explainer = fl.FACElift(model, terrain, steps="actions", n_counterfactuals=3).fit(credit.data)

with tempfile.TemporaryDirectory() as scratch:
    pd.to_pickle(model, f"{scratch}/model.pkl")
    explainer.save(f"{scratch}/explainer")
    files = {"explainer": f"{scratch}/explainer", "model": f"{scratch}/model.pkl"}
    mlflow.pyfunc.save_model(f"{scratch}/logged", python_model=Ways(), artifacts=files)
    again = mlflow.pyfunc.load_model(f"{scratch}/logged")
    (told,) = again.predict(credit.data.iloc[[4]])
    print("first step:", json.loads(told)["feature"]["0"])
