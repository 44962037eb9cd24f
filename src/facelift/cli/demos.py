"""The embedded data as demonstrations: an applicant for a loan, a handwritten digit."""

from __future__ import annotations

from facelift import datasets
from facelift.cli.inputs import check_row
from facelift.explainer import FACElift
from facelift.models import small_classifier
from facelift.multiverse.multiverse import Multiverse
from facelift.terrain.terrain import Terrain
from facelift.walking.guide import Guide

SHOWN_FIRST = 876
"""The applicant of German Credit to begin with. Of all who are declined, this one shows best what a
step keeps open: the wisest (a shorter loan) serves four ways and closes none; the biggest jump
(years in the job) closes one. Few others have both, and some of them would be told odd things."""

NOT_ADVISED = ("credit_history", "dependents", "existing_credits", "telephone")
"""What nobody would change for a loan, though the rules of the data leave it free."""

REMOVING = 1.1
"""Price of taking ink away, where adding has price 1: the paper's λ for pictures of digits."""


def german_credit(row: int | None = None, *, n_ways: int = 7, steps: str = "actions") -> Guide:
    """A declined applicant of German Credit (one who shows most, if no row is given).

    >>> german_credit(4, n_ways=2).title
    'Applicant 4'
    """
    row = SHOWN_FIRST if row is None else row
    rules = datasets.german_credit_rules(Terrain.infer(datasets.load_german_credit().data))
    multiverse = _ways(row, n_ways, steps, _sensible(rules))
    return Guide(
        multiverse,
        title=f"Applicant {row}",
        facts=("credit_amount", "duration", "age"),
        words={"bad": "declined", "good": "approved"},
    )


def digits(row: int | None = None, *, n_ways: int = 7) -> Guide:
    """A handwritten digit, through others like it, to pictures that are seen as another digit."""
    from sklearn.neural_network import MLPClassifier

    table = datasets.load_digits()
    row = 11 if row is None else row
    check_row(row, table.data)
    model = MLPClassifier(
        (50,), alpha=0.1, learning_rate_init=0.01, tol=1e-3, n_iter_no_change=5, random_state=0
    ).fit(table.data, table.target)
    terrain = Terrain.infer(table.data)
    for name in table.data.columns:
        terrain = terrain.price(name, decrease=REMOVING).span(name)
    explainer = FACElift(
        model,
        terrain,
        n_neighbors=7,
        edge_cost="power",
        n_counterfactuals=n_ways,
        min_separation=2.5,
    ).fit(table.data)
    seen = model.predict(table.data.iloc[[row]])[0]
    others = [label for label in model.classes_.tolist() if label != seen]
    multiverse = explainer.explain(table.data.iloc[[row]], others)
    return Guide(multiverse, title=f"Picture {row}", picture=(8, 8))


def ways_to_a_loan(row: int | None, n_ways: int, steps: str) -> tuple[int, Multiverse]:
    """A row of German Credit, the first that is declined if None is given, and its ways."""
    table = datasets.load_german_credit()
    if row is None:
        model = small_classifier(table.data, table.target)
        row = int((model.predict(table.data) == "bad").argmax())
    return row, _ways(row, n_ways, steps, datasets.german_credit_rules(Terrain.infer(table.data)))


def _sensible(terrain: Terrain) -> Terrain:
    """The rules of the data without what is not advised; nobody gives up years in a job."""
    return terrain.freeze(*NOT_ADVISED).worse("employment", "decrease")


def _ways(row: int, n_ways: int, steps: str, terrain: Terrain) -> Multiverse:
    table = datasets.load_german_credit()
    check_row(row, table.data)
    model = small_classifier(table.data, table.target)
    explainer = FACElift(model, terrain, steps=steps, n_counterfactuals=n_ways).fit(table.data)
    return explainer.explain(table.data.iloc[[row]], "good")
