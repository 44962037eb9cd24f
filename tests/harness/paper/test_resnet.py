"""ResNet-18 is ResNet-18: its size, its answers, and that it learns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="ResNet-18 needs the extra torch")

from facelift.paper import networks  # noqa: E402
from facelift.paper.networks import Recipe, ResidualNetwork, train_resnet  # noqa: E402

SIDE = 12


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def skies(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Images that are bright above or below, in noise; rows of pixels and what they show."""
    rng = np.random.default_rng(seed)
    above = rng.random(n) < 0.5
    light = np.repeat([1.0, 0.0], SIDE // 2)[:, np.newaxis]
    images = np.where(above[:, np.newaxis, np.newaxis], light, light[::-1])
    noisy = 0.6 * images + 0.4 * rng.random((n, SIDE, SIDE))
    return noisy.reshape(n, -1), np.where(above, "above", "below")


class Block(torch.nn.Module):
    """A block of ResNet-18 of ordinary layers, in the paper's order."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        nn = torch.nn
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(outputs)
        self.shortcut = None
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.shortcut_norm = nn.BatchNorm2d(outputs)

    def forward(self, x: Any) -> Any:
        y = torch.relu(self.first_norm(self.first(x)))
        y = self.second_norm(self.second(y))
        return torch.relu(
            y + (x if self.shortcut is None else self.shortcut_norm(self.shortcut(x)))
        )


def ordinary_resnet(tensors: dict[str, Any]) -> Any:
    """The same network of ordinary layers, with the weights given."""
    nn = torch.nn
    widths = [64, 64, 128, 128, 256, 256, 512, 512]
    before = [64, 64, 64, 128, 128, 256, 256, 512]
    strides = [1, 1, 2, 1, 2, 1, 2, 1]
    blocks = [Block(i, o, s) for i, o, s in zip(before, widths, strides, strict=True)]
    stem, norm, head = nn.Conv2d(1, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.Linear(512, 2)

    def fill(convolution: Any, normal: Any, name: str) -> None:
        convolution.weight.data = tensors[f"{name}.weight"].detach()
        normal.weight.data = tensors[f"{name}.scale"].detach()
        normal.bias.data = tensors[f"{name}.shift"].detach()
        normal.running_mean = tensors[f"{name}.mean"]
        normal.running_var = tensors[f"{name}.variance"]

    fill(stem, norm, "stem")
    for i, block in enumerate(blocks):
        name = f"stage{i // 2 + 1}.block{i % 2 + 1}"
        fill(block.first, block.first_norm, f"{name}.first")
        fill(block.second, block.second_norm, f"{name}.second")
        if block.shortcut is not None:
            fill(block.shortcut, block.shortcut_norm, f"{name}.shortcut")
    head.weight.data, head.bias.data = tensors["head.weight"], tensors["head.bias"]
    pool, last = nn.MaxPool2d(3, 2, 1), nn.AdaptiveAvgPool2d(1)
    return nn.Sequential(stem, norm, nn.ReLU(), pool, *blocks, last, nn.Flatten(), head)


def random_tensors(seed: int) -> dict[str, Any]:
    generator = torch.Generator().manual_seed(seed)
    tensors = networks.initial_tensors(2, generator)
    for name, tensor in tensors.items():
        if name.endswith((".scale", ".shift", ".mean", ".variance", "head.bias")):
            tensor += 0.5 * torch.rand(tensor.shape, generator=generator)
    return tensors


def test_it_has_as_many_weights_as_resnet_18_for_one_channel_and_two_classes():
    tensors = networks.initial_tensors(2, torch.Generator().manual_seed(0))
    learnt = [t.numel() for n, t in tensors.items() if not n.endswith((".mean", ".variance"))]
    published, its_stem, its_head = 11_689_512, 64 * 3 * 49, 513 * 1000
    assert sum(learnt) == published - its_stem - its_head + 64 * 49 + 513 * 2


@pytest.mark.parametrize("training", [False, True])
def test_it_answers_as_the_same_network_of_ordinary_layers(training):
    tensors = random_tensors(seed=1)
    images = torch.rand(5, 1, 28, 28, generator=torch.Generator().manual_seed(2))
    theirs = ordinary_resnet({name: tensor.clone() for name, tensor in tensors.items()})
    theirs.train(training)
    with torch.no_grad():
        expected = theirs(2 * images - 1)
        ours = networks.logits(tensors, images, training=training)
    torch.testing.assert_close(ours, expected)


def test_it_learns_to_tell_images_apart():
    points, labels = skies(96, seed=0)
    unseen, answers = skies(60, seed=1)
    recipe = Recipe(n_epochs=4, batch_size=8)
    network = train_resnet(points, labels, skies(30, seed=2), recipe=recipe, seed=5)
    chosen = network.classes_[network.predict_proba(unseen).argmax(axis=1)]
    assert (chosen == answers).mean() > 0.9


def test_the_same_seed_gives_the_same_network_and_another_seed_another():
    world = skies(24, seed=0)
    recipe = Recipe(n_epochs=1, batch_size=12)
    first, again, other = (
        train_resnet(*world, world, recipe=recipe, seed=seed) for seed in (1, 1, 2)
    )
    for name, array in first.arrays.items():
        np.testing.assert_array_equal(array, again.arrays[name])
    assert not np.array_equal(first.weights["stem.weight"], other.weights["stem.weight"])


def test_the_epoch_that_foretells_the_held_out_images_best_is_kept(monkeypatch):
    points, labels = skies(24, seed=0)
    surprises, seen = iter([0.6, 0.2, 0.3]), []

    def surprise(network: ResidualNetwork, *_: Any) -> float:
        seen.append(network)
        return next(surprises)

    monkeypatch.setattr(networks, "_surprise", surprise)
    recipe = Recipe(n_epochs=3, batch_size=12)
    kept = train_resnet(points, labels, (points, labels), recipe=recipe, seed=0)
    np.testing.assert_array_equal(kept.weights["head.weight"], seen[1].weights["head.weight"])
    assert not np.array_equal(kept.weights["head.weight"], seen[2].weights["head.weight"])


def test_it_answers_with_probabilities_whatever_the_number_of_images(monkeypatch):
    monkeypatch.setattr(networks, "_BATCH", 3)
    weights = {name: tensor.numpy() for name, tensor in random_tensors(seed=0).items()}
    network = ResidualNetwork(weights, np.array(["a", "b"]))
    images = np.random.default_rng(0).random((7, 784))
    answers = network.predict_proba(images)
    assert answers.shape == (7, 2)
    assert answers.dtype == np.float64
    np.testing.assert_allclose(answers.sum(axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(network.predict_proba(images[5:6])[0], answers[5], atol=1e-6)
    assert network.predict_proba(images[:0]).shape == (0, 2)


def test_it_has_gradients_with_respect_to_pixels():
    weights = {name: tensor.numpy() for name, tensor in random_tensors(seed=0).items()}
    network = ResidualNetwork(weights, np.array(["a", "b"]))
    pixels = torch.rand(2, 784, dtype=torch.float64).requires_grad_()
    network.differentiable(pixels)[:, 0].sum().backward()
    assert (pixels.grad.abs().sum(dim=1) > 0).all()
