"""Real data to try facelift on, each ready to fit: exact types, named levels, known source.

German Credit, digits and breast cancer are embedded. Adult, Credit Default, MNIST and MedMNIST are
looked for in the folder `data_home`, in the one that `FACELIFT_DATA` names and in the cache, and
else fetched into the cache; HELOC is looked for only, since its publisher gives it to whoever asks.
Whatever is found is checked before it is believed. The rules say what we assume people can change.
A data set is one section of `data/sources.toml` and a loader in `loaders`.
"""

from facelift.datasets.fetching import cache_home
from facelift.datasets.loaders import (
    load_adult,
    load_breast_cancer,
    load_breastmnist,
    load_credit_default,
    load_digits,
    load_german_credit,
    load_heloc,
    load_mnist,
    load_pneumoniamnist,
)
from facelift.datasets.rules import (
    adult_rules,
    credit_default_rules,
    german_credit_rules,
    heloc_rules,
    pixel_rules,
)

__all__ = [
    "adult_rules",
    "cache_home",
    "credit_default_rules",
    "german_credit_rules",
    "heloc_rules",
    "load_adult",
    "load_breast_cancer",
    "load_breastmnist",
    "load_credit_default",
    "load_digits",
    "load_german_credit",
    "load_heloc",
    "load_mnist",
    "load_pneumoniamnist",
    "pixel_rules",
]
