"""Real data to try facelift on, each ready to fit: exact types, named levels, known source.

German Credit, digits and breast cancer are embedded. Adult, Credit Default, MNIST and MedMNIST are
looked for in the folder `data_home`, in the one that `FACELIFT_DATA` names and in the cache, and
else fetched into the cache; whatever is found is checked before it is believed. The rules say what
we assume people can change.
"""

from facelift.datasets.adult import adult_rules, load_adult
from facelift.datasets.credit_default import credit_default_rules, load_credit_default
from facelift.datasets.embedded import load_breast_cancer, load_digits
from facelift.datasets.german_credit import german_credit_rules, load_german_credit
from facelift.datasets.images import pixel_rules
from facelift.datasets.medmnist import load_breastmnist, load_pneumoniamnist
from facelift.datasets.mnist import load_mnist

__all__ = [
    "adult_rules",
    "credit_default_rules",
    "german_credit_rules",
    "load_adult",
    "load_breast_cancer",
    "load_breastmnist",
    "load_credit_default",
    "load_digits",
    "load_german_credit",
    "load_mnist",
    "load_pneumoniamnist",
    "pixel_rules",
]
