"""Prototype (Van Looveren and Klaise 2021): a small, sparse change towards a typical record.

Interpretable Counterfactual Explanations Guided by Prototypes: the change is found by FISTA on a
loss of five terms: the prediction, the L1 and L2 size of the change, how well an autoencoder
knows the state, and how far it is from a prototype of the outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from facelift._arrays import Bools, Floats
from facelift.baselines.base import Attempt, Rounding, Synthetic, permitted, reach
from facelift.errors import InvalidInput, check_number, optional
from facelift.multiverse.goal import Goal
from facelift.terrain.kinds import kind_of
from facelift.terrain.terrain import Terrain

N_STEPS, BATCH_SIZE, LEARNING_RATE = 2000, 64, 3e-3
"""How long and how fast the autoencoder is trained."""

Gradient = Callable[[Floats], Floats]
"""Gradient of the smooth part of the loss at points; (n, m) to (n, m)."""

ChanceGradient = Callable[[Floats], tuple[Floats, Floats]]
"""Chances of points (n, m) and their gradients: shapes (n,) and (n, m)."""

MARGIN = 1e-4
"""By how much a stand-in for the model must be surer than the threshold, for the model to agree."""


def descend(
    start: Floats,
    low: Floats,
    high: Floats,
    gradient: Gradient,
    visit: Callable[[Floats], None],
    *,
    beta: float,
    learning_rate: float,
    max_iter: int,
) -> None:
    """Follow the loss downhill from `start` (n, m), between `low` and `high`; `visit` every point.

    `δ⁺ = Π(S_β(y − α ∇g(x + y)))` and `y⁺ = Π(δ⁺ + i/(i + 3) · (δ⁺ − δ))`, with a rate α that falls
    with the square root of what is left to do.

    >>> path = []
    >>> far = lambda points: 100 * (points - 1.0)
    >>> box = np.zeros((1, 1)), np.full((1, 1), 0.8)
    >>> descend(np.zeros((1, 1)), *box, far, path.append, beta=0.1, learning_rate=0.01, max_iter=2)
    >>> [round(float(point[0, 0]), 2) for point in path]
    [0.8, 0.8]
    """

    def within(change: Floats) -> Floats:
        return np.clip(start + change, low, high) - start

    change = ahead = np.zeros_like(start)
    for i in range(max_iter):
        rate = learning_rate * np.sqrt(1 - i / max_iter)
        moved = within(shrunk(ahead - rate * gradient(start + ahead), beta))
        change, ahead = moved, within(moved + i / (i + 3) * (moved - change))
        visit(start + change)


def shrunk(change: Floats, beta: float) -> Floats:
    """Every number brought nearer to zero by β, and to zero if it is no larger: `S_β`.

    >>> shrunk(np.array([-0.5, 0.05, 0.3]), 0.1).round(2).tolist()
    [-0.4, 0.0, 0.2]
    """
    return np.asarray(np.sign(change) * np.maximum(np.abs(change) - beta, 0.0))


def exact_gradient(differentiable: Callable[[Any], Any], goal: Goal) -> ChanceGradient:
    """Chance and gradient of a function of torch tensors, from points to probabilities."""
    torch = optional("torch", extra="torch", what="An exact gradient")
    columns = [goal.classes.index(label) for label in goal.target]

    def gradient(points: Floats) -> tuple[Floats, Floats]:
        tensor = torch.tensor(points, requires_grad=True)
        chances = differentiable(tensor)[:, columns].sum(dim=1)
        (ascent,) = torch.autograd.grad(chances.sum(), tensor)
        return chances.detach().numpy(), ascent.numpy()

    return gradient


def numerical_gradient(
    ask: Callable[[Floats], Floats], terrain: Terrain, rounded: Rounding, goal: Goal, step: float
) -> ChanceGradient:
    """Chance and gradient of a black box, by asking it about neighbours of each point.

    Numbers are moved up and down by `step` (ordered levels and whole numbers by at least one);
    levels without an order are switched on one at a time, and count by what that changes.
    """
    probes = _probes(terrain, step)

    def gradient(points: Floats) -> tuple[Floats, Floats]:
        rows = rounded(points)
        asked = np.concatenate([rows, *(probe.moved(rows) for probe in probes)])
        chances = goal.chances(ask(asked)).reshape(-1, len(rows))
        ascent = np.zeros_like(rows)
        for probe, plus in zip(probes, chances[1:], strict=True):
            ascent[:, probe.coordinate] += probe.share * (plus - chances[0])
        return chances[0], ascent

    return gradient


def learned_gradient(
    autoencoder: Autoencoder | None,
    towards: Floats,
    *,
    gamma: float,
    theta: Floats,
    latent: bool,
) -> Gradient:
    """Gradient of `γ·‖p − AE(p)‖₂² + θ·‖ENC(p) − proto‖₂²` at points p, with a θ for each case.

    Without a latent space ENC leaves points as they are.
    """
    torch = optional("torch", extra="torch", what="An autoencoder")
    assert autoencoder is not None  # noqa: S101  (trained whenever it is used)
    there, weight = torch.tensor(towards), torch.tensor(theta)

    def gradient(points: Floats) -> Floats:
        tensor = torch.tensor(points, requires_grad=True)
        code = autoencoder.encode(tensor)
        here = code if latent else tensor
        loss = (weight * ((here - there) ** 2).sum(dim=1)).sum()
        if gamma > 0:
            loss = loss + gamma * ((tensor - autoencoder.decode(code)) ** 2).sum()
        (found,) = torch.autograd.grad(loss, tensor)
        return np.asarray(found.numpy())

    return gradient


@dataclass(frozen=True)
class _Probe:
    """A question to a black box, what if one coordinate were elsewhere.

    The gradient along it gets `share` times what that changes. A number is moved `by` some; a
    `level` is switched on in its `place`, all others there off.
    """

    coordinate: int
    place: slice
    by: float
    share: float
    level: bool

    def moved(self, rows: Floats) -> Floats:
        """The rows with the coordinate moved."""
        moved = rows.copy()
        if self.level:
            moved[:, self.place] = 0.0
            moved[:, self.coordinate] = 1.0
        else:
            moved[:, self.coordinate] += self.by
        return moved


def _probes(terrain: Terrain, step: float) -> list[_Probe]:
    found = []
    for (feature, place), held in zip(terrain.parts, terrain.schema.held, strict=True):
        grain = kind_of(feature).grain(feature, whole=held.whole)
        if grain is None:
            found += [_Probe(i, place, 0.0, 1.0, True) for i in range(place.start, place.stop)]
        else:
            by = max(step, grain)
            found += [
                _Probe(place.start, place, sign * by, sign / (2 * by), False) for sign in (1, -1)
            ]
    return found


@dataclass(frozen=True, eq=False)
class Autoencoder:
    """Two functions of torch tensors: points (n, m) to latent (n, l), and back."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def train_autoencoder(points: Floats, n_latent: int, *, seed: int) -> Autoencoder:
    """An autoencoder with one hidden layer each way, fitted to points with a seed."""
    torch = optional("torch", extra="torch", what="An autoencoder")
    n_points, m = points.shape
    n_hidden = max(2 * n_latent, m // 2)
    generator = torch.Generator().manual_seed(seed)
    sizes = [(m, n_hidden), (n_hidden, n_latent), (n_latent, n_hidden), (n_hidden, m)]
    layers = [_layer(torch, inputs, outputs, generator) for inputs, outputs in sizes]
    encode, decode = _through(torch, layers[:2]), _through(torch, layers[2:])
    data = torch.as_tensor(points.astype(np.float32))
    optimiser = torch.optim.Adam([each for layer in layers for each in layer], lr=LEARNING_RATE)
    for _ in range(N_STEPS):
        batch = data[torch.randint(n_points, (BATCH_SIZE,), generator=generator)]
        loss = ((decode(encode(batch)) - batch) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    exact = [tuple(tensor.detach().double() for tensor in layer) for layer in layers]
    return Autoencoder(_through(torch, exact[:2]), _through(torch, exact[2:]))


def encoded(autoencoder: Autoencoder | None, points: Floats) -> Floats:
    """Latent coordinates of points; shape (n, l)."""
    torch = optional("torch", extra="torch", what="An encoder")
    assert autoencoder is not None  # noqa: S101  (trained whenever it is used)
    with torch.no_grad():
        return np.asarray(autoencoder.encode(torch.tensor(points)).numpy())


def _layer(torch: Any, inputs: int, outputs: int, generator: Any) -> tuple[Any, Any]:
    spread = (2 / inputs) ** 0.5
    weight = spread * torch.randn((inputs, outputs), generator=generator)
    bias = torch.zeros(outputs)
    return weight.requires_grad_(), bias.requires_grad_()


def _through(torch: Any, layers: Sequence[tuple[Any, ...]]) -> Callable[[Any], Any]:
    """Two layers, the first one rectified."""
    (first, first_bias), (second, second_bias) = layers
    return lambda values: torch.relu(values @ first + first_bias) @ second + second_bias


@dataclass(eq=False, repr=False)
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
    >>> from facelift import toys
    >>> line, model = toys.line()
    >>> journey = Prototype(model).fit(line).explain([2.0])[0]
    >>> journey.rows["x0"].round(2).tolist(), bool(journey.chances[-1] >= 0.5)
    ([2.0, 3.0, 4.0, 5.0, 5.01], True)
    """

    _: KW_ONLY
    prototypes: Literal["kdtree", "encoder"] = "kdtree"
    n_neighbors: int = 1
    differentiable: Callable[[Any], Any] | None = None
    autoencoder: Autoencoder | None = None
    n_latent: int | None = None
    beta: float = 0.1
    gamma: float = 0.0
    theta: float = 10.0
    kappa: float = 0.0
    c_init: float = 1.0
    n_c_steps: int = 5
    learning_rate: float = 0.01
    max_iter: int = 200
    step: float = 0.01

    def _check_parameters(self) -> None:
        super()._check_parameters()
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
        chance_gradient, towards = self._chance_gradient(goal), self._towards(factuals, goal)
        best, weights = Best(factuals, self.beta), Weights(len(factuals), self.c_init)
        for _ in range(self.n_c_steps):

            def gradient(points: Floats, weight: Floats = weights.current) -> Floats:
                chances, ascent = chance_gradient(points)
                wanting = 2 * (self.threshold - chances) > -self.kappa
                push = (2 * weight * wanting)[:, np.newaxis] * ascent
                return 2 * (points - factuals) + towards(points) - push

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
        states = self._rounded(points)
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

    def _chance_gradient(self, goal: Goal) -> ChanceGradient:
        if self.differentiable is not None:
            return exact_gradient(self.differentiable, goal)
        return numerical_gradient(self._ask, self.terrain_, self._rounded, goal, self.step)

    def _towards(self, factuals: Floats, goal: Goal) -> Gradient:
        """Gradient of the terms of autoencoder and prototype."""
        protos = [self._prototype(factual, goal) for factual in factuals]
        known = np.array([proto is not None for proto in protos])[:, np.newaxis]
        there = np.array([self._known[0] if proto is None else proto for proto in protos])
        if self.gamma == 0 and self.prototypes == "kdtree":
            return lambda points: 2 * self.theta * known * (points - there)
        return learned_gradient(
            self.autoencoder_,
            there,
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
        mine = records & ~self.terrain_.prices.forbidden(factual[np.newaxis], self.points_)[0]
        records = mine if mine.any() else records
        columns = [goal.classes.index(label) for label in goal.target]
        labels = self.probabilities_[:, columns].argmax(axis=1)
        found = [
            typical(here, self._known[records & (labels == k)], self.n_neighbors, self.prototypes)
            for k in range(len(columns))
            if (records & (labels == k)).any()
        ]
        return min(found, key=lambda proto: float(((proto - here) ** 2).sum()), default=None)


def typical(here: Floats, records: Floats, n_neighbors: int, prototypes: str) -> Floats:
    """The n-th nearest of some records ("kdtree"), or the mean of the n nearest ("encoder").

    >>> records = np.array([[3.0], [1.0], [2.0]])
    >>> typical(np.zeros(1), records, 2, "kdtree"), typical(np.zeros(1), records, 2, "encoder")
    (array([2.]), array([1.5]))
    """
    nearest = np.argsort(((records - here) ** 2).sum(axis=1), kind="stable")[:n_neighbors]
    return np.asarray(
        records[nearest[-1]] if prototypes == "kdtree" else records[nearest].mean(axis=0)
    )


class Weights:
    """The search for the weight of the prediction, for each case on its own."""

    def __init__(self, n_cases: int, first: float) -> None:
        self.current = np.full(n_cases, float(first))
        self._below, self._above = np.zeros(n_cases), np.full(n_cases, np.inf)

    def update(self, found: Bools) -> None:
        """Go on: halfway to what was too little where there was a counterfactual, else up.

        >>> weights = Weights(2, 1.0)
        >>> weights.update(np.array([True, False]))
        >>> weights.current.tolist()
        [0.5, 10.0]
        """
        self._above = np.where(found, np.minimum(self._above, self.current), self._above)
        self._below = np.where(found, self._below, np.maximum(self._below, self.current))
        between = (self._below + np.minimum(self._above, 1e300)) / 2
        self.current = np.where(np.isfinite(self._above), between, 10 * self.current)


class Best:
    """The least change with the outcome so far, for each case: by `β·‖δ‖₁ + ‖δ‖₂²`."""

    def __init__(self, factuals: Floats, beta: float) -> None:
        self._factuals, self._beta = factuals, beta
        self._states, self._sizes = factuals.copy(), np.full(len(factuals), np.inf)
        self._chances, self._n_states = np.zeros(len(factuals)), 0
        self.n_found = np.zeros(len(factuals), dtype=np.int64)

    def take(self, states: Floats, chances: Floats, good: Bools) -> None:
        """Keep those of the good states that are smaller changes than any before."""
        self._n_states += 1
        self._chances = np.maximum(self._chances, chances)
        self.n_found += good
        changes = states - self._factuals
        sizes = self._beta * np.abs(changes).sum(axis=1) + (changes**2).sum(axis=1)
        better = good & (sizes < self._sizes)
        self._states[better], self._sizes[better] = states[better], sizes[better]

    def attempts(self) -> list[Attempt]:
        """What came of it, case by case."""
        found = np.isfinite(self._sizes)
        return [
            Attempt(state if good else None, self._n_states, float(chance))
            for state, good, chance in zip(self._states, found, self._chances, strict=True)
        ]
