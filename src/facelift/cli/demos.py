"""The embedded data as demonstrations: an applicant for a loan, a handwritten digit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from facelift import datasets
from facelift.cli.inputs import check_row
from facelift.datasets.fetching import at_hand
from facelift.explainer import FACElift
from facelift.language import joined, label, number, say
from facelift.models import small_classifier
from facelift.multiverse.multiverse import Multiverse
from facelift.terrain.terrain import Terrain
from facelift.walking.guide import Guide
from facelift.walking.population import Population
from facelift.web.tables import Example

if TYPE_CHECKING:
    import pandas as pd

SHOWN_FIRST = 496
"""The applicant of German Credit to begin with. This one was chosen because the first screen shows
what a step keeps open: the recommended (a smaller loan) brings all seven ways nearer and closes
none; the biggest jump (a shorter loan) closes one."""

NOT_ADVISED = ("credit_history", "dependents", "existing_credits", "telephone")
"""What nobody would change for a loan, though the rules of the data leave it free."""

REMOVING = 1.1
"""Price of taking ink away, where adding has price 1: the paper's λ for pictures of digits."""

FIRST_DIGIT = 11
"""The picture that is walked first."""


def german_credit(row: int | None = None, *, n_ways: int = 7, steps: str = "actions") -> Guide:
    """A declined applicant of German Credit (`SHOWN_FIRST`, if no row is given).

    >>> german_credit(4, n_ways=2).title
    'Applicant 4'
    """
    row = SHOWN_FIRST if row is None else row
    rules = datasets.german_credit_rules(Terrain.infer(datasets.load_german_credit().data))
    multiverse = _ways(row, n_ways, steps, _sensible(rules))
    return Guide(
        multiverse,
        title=joined([label("Applicant"), row], " "),
        facts=("credit_amount", "duration", "age"),
        words={"bad": "declined", "good": "approved"},
    )


def digits(row: int | None = None, *, n_ways: int = 7) -> Guide:
    """A handwritten digit, through others like it, to pictures that are seen as another digit."""
    table, explainer = _digits(n_ways)
    row = FIRST_DIGIT if row is None else row
    check_row(row, table)
    seen = int(explainer.probabilities_[row].argmax())
    others = [each for i, each in enumerate(explainer.classes_.tolist()) if i != seen]
    multiverse = explainer.explain(table.iloc[[row]], others)
    return Guide(multiverse, title=joined([label("Picture"), row], " "), picture=(8, 8))


def examples(n_ways: int, steps: str) -> dict[str, Example]:
    """The tables of the first page: those embedded, and Adult if it is at hand."""
    known = [
        Example(
            "german",
            "German Credit",
            say("Who gets a loan? {n} people", n=number(1000, grouped=True)),
            partial(_credit, n_ways, steps),
        ),
        Example(
            "adult",
            "Adult",
            say("Who earns over 50,000 a year? {n} people", n=number(48842, grouped=True)),
            partial(_adult, n_ways, steps),
        ),
        Example(
            "digits",
            "Digits",
            say("From one digit to a 9, stroke by stroke"),
            partial(_nines, n_ways),
        ),
    ]
    return {each.key: each for each in known if each.key != "adult" or at_hand("adult")}


def _credit(n_ways: int, steps: str) -> Population:
    table = datasets.load_german_credit()
    terrain = _sensible(datasets.german_credit_rules(Terrain.infer(table.data)))
    return Population.of(
        _loan_explainer(table, n_ways, steps, terrain),
        table.data,
        "good",
        title="German Credit",
        person="Applicant",
        facts=("credit_amount", "duration", "age"),
        words={"bad": "declined", "good": "approved"},
        outcome=table.target,
        start=SHOWN_FIRST,
    )


def _adult(n_ways: int, steps: str) -> Population:
    table = datasets.load_adult(download_if_missing=False)
    people = table.data.drop(columns=["fnlwgt", "education_num"])
    model = small_classifier(people, table.target)
    terrain = datasets.adult_rules(Terrain.infer(people))
    explainer = FACElift(model, terrain, steps=steps, n_counterfactuals=n_ways).fit(people)
    facts = ("age", "education", "hours_per_week")
    return Population.of(
        explainer, people, ">50K", title="Adult", person="Person", facts=facts, outcome=table.target
    )


def _nines(n_ways: int) -> Population:
    table, explainer = _digits(n_ways)
    return Population.of(
        explainer, table, 9, title="Digits", person="Picture", picture=(8, 8), start=FIRST_DIGIT
    )


def _digits(n_ways: int) -> tuple[pd.DataFrame, FACElift]:
    """Pictures of digits, and who explains them."""
    from sklearn.neural_network import MLPClassifier

    table = datasets.load_digits()
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
    )
    return table.data, explainer.fit(table.data)


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
    explainer = _loan_explainer(table, n_ways, steps, terrain)
    return explainer.explain(table.data.iloc[[row]], "good")


def _loan_explainer(table: Any, n_ways: int, steps: str, terrain: Terrain) -> FACElift:
    """Who explains a small model of German Credit."""
    model = small_classifier(table.data, table.target)
    return FACElift(model, terrain, steps=steps, n_counterfactuals=n_ways).fit(table.data)
