"""PyTorch: a function from rows to one probability per class is a model."""

import numpy as np
import torch
from torch import nn

import facelift as fl

torch.manual_seed(0)
digits = fl.datasets.load_digits()
images = torch.tensor(digits.data.to_numpy(), dtype=torch.float32)
labels = torch.tensor(digits.target.to_numpy(), dtype=torch.long)
network = nn.Sequential(nn.Linear(64, 50), nn.ReLU(), nn.Linear(50, 10))
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _ in range(60):
    optimizer.zero_grad()
    nn.functional.cross_entropy(network(images), labels).backward()
    optimizer.step()
network.eval()


def chances(rows) -> np.ndarray:
    """What the network says of a frame of pixels."""
    with torch.no_grad():
        points = torch.tensor(rows.to_numpy(), dtype=torch.float32)
        return network(points).softmax(dim=1).numpy()


explainer = fl.FACElift(chances, n_neighbors=7, edge_cost="power", n_counterfactuals=3)
ways = explainer.fit(digits.data).explain(digits.data.iloc[11], target=8)
for journey in ways:
    print("the network sees", *journey.probabilities.argmax(axis=1))
