"""Which way the chance rises: as the model says, as torch says, and as asking tells."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from facelift import FACElift
from facelift.errors import InvalidModel
from facelift.models import TorchModel

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({"pay": RNG.uniform(10, 60, 40), "age": RNG.integers(20, 70, 40)})
PLACES = np.array([[0.3, 0.5], [0.7, 0.25]])


class Bend:
    """A chance that rises with pay and falls with age, and its gradient."""

    classes_ = np.array(["no", "yes"])
    asked = 0

    def predict_proba(self, rows):
        chance = 1 / (1 + np.exp(-self._score(rows)))
        return np.column_stack([1 - chance, chance])

    @staticmethod
    def _score(rows):
        return np.asarray(rows["pay"]) / 10 - np.asarray(rows["age"]) / 20 - 1


class Told(Bend):
    def gradient(self, rows):
        self.asked += 1
        chance = self.predict_proba(rows)[:, 1]
        slope = (chance * (1 - chance))[:, np.newaxis] * np.array([1 / 10, -1 / 20])
        return np.stack([-slope, slope], axis=1)


class Wrong(Bend):
    def gradient(self, rows):
        return np.zeros((len(rows), 2))


def gradient(model):
    oracle = FACElift(model, n_neighbors=3).fit(TABLE).oracle_
    return oracle.chance_gradient(oracle.goal("yes", oracle.known[0], threshold=0.5), PLACES)


def test_differences_are_the_gradient_in_units_of_the_terrain():
    """Ages are whole: one year up and one down are asked about."""
    told = Told()
    expected = gradient(told)
    assert told.asked == 1
    np.testing.assert_allclose(gradient(Bend()), expected, rtol=0.05)


def test_a_gradient_of_another_shape_is_refused():
    with pytest.raises(
        InvalidModel, match=r"\(rows, classes, columns\), \(2, 2, 2\), got \(2, 2\)"
    ):
        gradient(Wrong())


def test_torch_gives_the_gradient_of_a_module(torch):
    scales = torch.tensor([1 / 10, -1 / 20], dtype=torch.float64)

    def module(rows):
        chance = torch.sigmoid(rows @ scales - 1)
        return torch.column_stack([1 - chance, chance])

    model = TorchModel(module, ["no", "yes"])
    assert model.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(model.predict_proba(TABLE), Bend().predict_proba(TABLE))
    np.testing.assert_allclose(gradient(model), gradient(Told()))
