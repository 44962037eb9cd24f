"""Prototype (Van Looveren and Klaise 2021): a small, sparse change towards a typical record.

Interpretable Counterfactual Explanations Guided by Prototypes: the change is found by FISTA on a
loss of five terms: the prediction, the L1 and L2 size of the change, how well an autoencoder
knows the state, and how far it is from a prototype of the outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from facelift._arrays import Floats
from facelift._checks import check_number, optional
from facelift.baselines.autoencoder import Autoencoder, train_autoencoder
from facelift.baselines.fista import Gradient, descend
from facelift.baselines.pulls import encoded, learned_pull, typical
from facelift.baselines.slopes import Slope, exact_slope, numerical_slope
from facelift.baselines.states import permitted, reach
from facelift.baselines.synthetic import Attempt, Synthetic
from facelift.baselines.trials import Best, Weights
from facelift.errors import InvalidInput
from facelift.multiverse.goal import Goal
from facelift.terrain.terrain import Terrain

MARGIN = 1e-4
"""By how much a stand-in for the model must be surer than the threshold, for the model to agree."""


class Prototype(Synthetic):
    """A counterfactual optimised to be near, sparse, likely, and typical of the outcome.

    The loss is `c·f_pred + β·‖δ‖₁ + ‖δ‖₂² + γ·‖x + δ − AE(x + δ)‖₂² + θ·‖ENC(x + δ) − proto‖₂²`,
    where `f_pred = max(2·(threshold − chance), −κ)`: with two classes and a threshold of a half
    this is the authors' difference of the two probabilities. The weight c is searched for: raised
    tenfold until there is a counterfactual, then halved in between. Of all states on the way that
    have the outcome the one of least `β·‖δ‖₁ + ‖δ‖₂²` is taken.

    Unlike the authors', states are rows the table could have: each is put on the nearest levels
    and whole numbers, stays within the range seen, and keeps the rules of the terrain.

    Parameters
    ----------
    model
        As in `FACElift`.
    terrain
        What may change; inferred from the table when None. Prices do not matter but where they
        forbid.
    prototypes
        "kdtree": the record with the outcome that is the `n_neighbors`-th nearest (the authors
        look it up in a k-d tree; here among the records that the rules let this person become).
        "encoder": the mean encoding of the `n_neighbors` nearest such records, in the latent space
        of the autoencoder. Of several classes asked for, the one with the nearest prototype.
    n_neighbors
        See there.
    differentiable
        A function from a torch tensor of points (n, m) to probabilities (n, classes), for exact
        gradients; None asks the model itself about small changes (numerical gradients).
    autoencoder
        Encoder and decoder of one's own; None trains a small one where one is needed.
    n_latent
        Size of the latent space of the autoencoder that is trained; a quarter of the coordinates,
        at most 32, if None.
    beta, gamma, theta, kappa
        Weights of the L1 size, the autoencoder and the prototype, and the margin κ.
    c_init, n_c_steps
        First weight of the prediction, and how many are tried.
    learning_rate, max_iter
        Size of the first step, and how many steps are taken per weight.
    step
        By how much numbers are moved to find a numerical gradient.
    threshold
        Probability of the target that counts as reaching it.
    random_state
        Seed of the autoencoder's training.

    Examples
    --------
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> model = lambda x: np.hstack([10 - x, x]) / 10
    >>> journey = Prototype(model).fit(line).explain([2.0])[0]
    >>> journey.rows["x0"].round(2).tolist(), bool(journey.chances[-1] >= 0.5)
    ([2.0, 3.0, 4.0, 5.0, 5.01], True)
    """

    def __init__(
        self,
        model: Any,
        terrain: Terrain | None = None,
        *,
        prototypes: Literal["kdtree", "encoder"] = "kdtree",
        n_neighbors: int = 1,
        differentiable: Callable[[Any], Any] | None = None,
        autoencoder: Autoencoder | None = None,
        n_latent: int | None = None,
        beta: float = 0.1,
        gamma: float = 0.0,
        theta: float = 10.0,
        kappa: float = 0.0,
        c_init: float = 1.0,
        n_c_steps: int = 5,
        learning_rate: float = 0.01,
        max_iter: int = 200,
        step: float = 0.01,
        threshold: float = 0.5,
        random_state: int = 0,
    ) -> None:
        self.model = model
        self.terrain = terrain
        self.prototypes = prototypes
        self.n_neighbors = n_neighbors
        self.differentiable = differentiable
        self.autoencoder = autoencoder
        self.n_latent = n_latent
        self.beta = beta
        self.gamma = gamma
        self.theta = theta
        self.kappa = kappa
        self.c_init = c_init
        self.n_c_steps = n_c_steps
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.step = step
        self.threshold = threshold
        self.random_state = random_state

    def _check_parameters(self) -> None:
        if self.prototypes not in ("kdtree", "encoder"):
            raise InvalidInput(
                f"prototypes must be 'kdtree' or 'encoder', got {self.prototypes!r}."
            )
        for name in ("n_neighbors", "n_c_steps", "max_iter"):
            check_number(name, getattr(self, name), Integral, "1 or more", lambda v: v >= 1)
        for name in ("beta", "gamma", "theta", "kappa"):
            check_number(name, getattr(self, name), Real, "0 or more", lambda v: v >= 0)
        for name in ("c_init", "learning_rate", "step"):
            check_number(name, getattr(self, name), Real, "above 0", lambda v: v > 0)
        check_number("threshold", self.threshold, Real, "in (0, 1]", lambda v: 0 < v <= 1)
        check_number("random_state", self.random_state, Integral, "0 or more", lambda v: v >= 0)

    def _learn(self) -> None:
        self.autoencoder_ = self.autoencoder
        if self.autoencoder is None and (self.gamma > 0 or self.prototypes == "encoder"):
            n_latent = self.n_latent or min(max(self.points_.shape[1] // 4, 2), 32)
            self.autoencoder_ = train_autoencoder(self.points_, n_latent, seed=self.random_state)
        self._known = self.points_
        if self.prototypes == "encoder":
            self._known = encoded(self.autoencoder_, self.points_)

    def _search(self, factuals: Floats, goal: Goal) -> list[Attempt]:
        boxes = [reach(self.terrain_, factual) for factual in factuals]
        low, high = np.array([box.low for box in boxes]), np.array([box.high for box in boxes])
        slope, pull = self._slope(goal), self._pull(factuals, goal)
        best, weights = Best(factuals, self.beta), Weights(len(factuals), self.c_init)
        for _ in range(self.n_c_steps):

            def gradient(points: Floats, weight: Floats = weights.current) -> Floats:
                chances, ascent = slope(points)
                wanting = 2 * (self.threshold - chances) > -self.kappa
                push = (2 * weight * wanting)[:, np.newaxis] * ascent
                return 2 * (points - factuals) + pull(points) - push

            best.n_found[:] = 0
            descend(
                factuals,
                low,
                high,
                gradient,
                lambda points: self._visit(points, factuals, goal, best),
                beta=self.beta,
                learning_rate=self.learning_rate,
                max_iter=self.max_iter,
            )
            weights.update(best.n_found > 0)
        return best.attempts()

    def _visit(self, points: Floats, factuals: Floats, goal: Goal, best: Best) -> None:
        """Take note of the states on the way that have the outcome and are allowed."""
        states = self._moulds.settled(points)
        chances = self._chances(states, goal)
        margin = 0.0 if self.differentiable is None else MARGIN
        good = chances >= self.threshold + margin
        good[good] = permitted(self.terrain_, factuals[good], states[good])
        best.take(states, chances, good)

    def _chances(self, states: Floats, goal: Goal) -> Floats:
        if self.differentiable is None:
            return goal.chances(self._ask(states))
        torch = optional("torch", extra="torch", what="An exact gradient")
        with torch.no_grad():
            return goal.chances(self.differentiable(torch.as_tensor(states)).numpy())

    def _slope(self, goal: Goal) -> Slope:
        if self.differentiable is not None:
            return exact_slope(self.differentiable, goal)
        return numerical_slope(self._ask, self.terrain_, self._moulds, goal, self.step)

    def _pull(self, factuals: Floats, goal: Goal) -> Gradient:
        """Gradient of the terms of autoencoder and prototype."""
        protos = [self._prototype(factual, goal) for factual in factuals]
        known = np.array([proto is not None for proto in protos])[:, np.newaxis]
        towards = np.array([self._known[0] if proto is None else proto for proto in protos])
        if self.gamma == 0 and self.prototypes == "kdtree":
            return lambda points: 2 * self.theta * known * (points - towards)
        return learned_pull(
            self.autoencoder_,
            towards,
            gamma=self.gamma,
            theta=self.theta * known[:, 0],
            latent=self.prototypes == "encoder",
        )

    def _prototype(self, factual: Floats, goal: Goal) -> Floats | None:
        """Where somebody is pulled to: typical of the class asked for that is nearest by."""
        here = (
            factual
            if self.prototypes == "kdtree"
            else encoded(self.autoencoder_, factual[np.newaxis])[0]
        )
        records = goal.reached(self.probabilities_) & self._enterable
        mine = records & np.isfinite(self.terrain_.prices.cost(factual, self.points_))
        records = mine if mine.any() else records
        columns = [goal.classes.index(label) for label in goal.target]
        labels = self.probabilities_[:, columns].argmax(axis=1)
        found = [
            typical(here, self._known[records & (labels == k)], self.n_neighbors, self.prototypes)
            for k in range(len(columns))
            if (records & (labels == k)).any()
        ]
        return min(found, key=lambda proto: float(((proto - here) ** 2).sum()), default=None)
