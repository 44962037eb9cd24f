"""XGBoost, LightGBM and CatBoost: a booster trained on a raw frame is a model as it is."""

from catboost import CatBoostClassifier
from lightgbm import LGBMClassifier
from xgboost import XGBClassifier

import facelift as fl

credit = fl.datasets.load_german_credit()
X, y = credit.data, (credit.target == "good").astype(int)
terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(X))
words = list(X.select_dtypes("category"))

models = {
    "XGBoost": XGBClassifier(enable_categorical=True, max_depth=3, n_jobs=1),
    "LightGBM": LGBMClassifier(max_depth=3, n_jobs=1, verbose=-1),
    "CatBoost": CatBoostClassifier(
        depth=3,
        iterations=100,
        cat_features=words,
        logging_level="Silent",
        allow_writing_files=False,
    ),
}
for name, model in models.items():
    model.fit(X.astype(dict.fromkeys(words, str)) if name == "CatBoost" else X, y)
    explainer = fl.FACElift(model, terrain, steps="actions", n_counterfactuals=3).fit(X)
    declined = X[explainer.probabilities_[explainer.vertices_, 1] < 0.5].iloc[0]
    ways = explainer.explain(declined, target=1)
    print(f"{name}: {len(ways)} ways from effort {ways[0].cost:.2f} on. {ways.proof.sentence}")
