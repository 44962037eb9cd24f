"""Rewrite the German Credit table from ARFF to a CSV that people can read.

Usage: ``python tools/make_german_credit.py credit-g.arff > german_credit.csv``, then move the
file to ``src/facelift/datasets/data``.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

# The source's column names and ours, in the source's order.
NAMES = {
    "checking_status": "checking_account",
    "duration": "duration",
    "credit_history": "credit_history",
    "purpose": "purpose",
    "credit_amount": "credit_amount",
    "savings_status": "savings",
    "employment": "employment",
    "installment_commitment": "installment_rate",
    "personal_status": "sex",
    "other_parties": "other_debtors",
    "residence_since": "residence",
    "property_magnitude": "property",
    "age": "age",
    "other_payment_plans": "other_installment_plans",
    "housing": "housing",
    "existing_credits": "existing_credits",
    "job": "job",
    "num_dependents": "dependents",
    "own_telephone": "telephone",
    "foreign_worker": "foreign_worker",
    "class": "risk",
}

# The source's labels and ours. The source also declares 'vacation' and 'female single', which no
# row has: a file that has them is another table, and is refused. Columns not named here hold
# whole numbers.
LABELS = {
    "checking_account": {
        "no checking": "no account",
        "<0": "overdrawn",
        "0<=X<200": "0 to 200 DM",
        ">=200": "200 DM or more",
    },
    "credit_history": {
        "no credits/all paid": "no credits taken",
        "all paid": "all paid at this bank",
        "existing paid": "existing paid so far",
        "delayed previously": "delays in the past",
        "critical/other existing credit": "critical account",
    },
    "purpose": {
        "new car": "new car",
        "used car": "used car",
        "furniture/equipment": "furniture or equipment",
        "radio/tv": "radio or television",
        "domestic appliance": "domestic appliances",
        "repairs": "repairs",
        "education": "education",
        "retraining": "retraining",
        "business": "business",
        "other": "other",
    },
    "savings": {
        "no known savings": "unknown or none",
        "<100": "under 100 DM",
        "100<=X<500": "100 to 500 DM",
        "500<=X<1000": "500 to 1000 DM",
        ">=1000": "1000 DM or more",
    },
    "employment": {
        "unemployed": "unemployed",
        "<1": "under 1 year",
        "1<=X<4": "1 to 4 years",
        "4<=X<7": "4 to 7 years",
        ">=7": "7 years or more",
    },
    "sex": {
        "male div/sep": "male, divorced or separated",
        "female div/dep/mar": "female, divorced, separated or married",
        "male single": "male, single",
        "male mar/wid": "male, married or widowed",
    },
    "other_debtors": {
        "none": "none",
        "co applicant": "co-applicant",
        "guarantor": "guarantor",
    },
    "property": {
        "no known property": "none or unknown",
        "car": "car or other",
        "life insurance": "savings agreement or life insurance",
        "real estate": "real estate",
    },
    "other_installment_plans": {"none": "none", "stores": "stores", "bank": "bank"},
    "housing": {"for free": "for free", "rent": "rent", "own": "own"},
    "job": {
        "unemp/unskilled non res": "unskilled, non-resident",
        "unskilled resident": "unskilled, resident",
        "skilled": "skilled",
        "high qualif/self emp/mgmt": "management or self-employed",
    },
    "telephone": {"none": "no", "yes": "yes"},
    "foreign_worker": {"no": "no", "yes": "yes"},
    "risk": {"good": "good", "bad": "bad"},
}


def main(arguments: Sequence[str]) -> None:
    """Write the readable table of the ARFF file named in `arguments` to standard output."""
    if len(arguments) != 1:
        sys.exit("usage: make_german_credit.py path/to/credit-g.arff > german_credit.csv")
    arff = Path(arguments[0]).read_text(encoding="utf-8")
    # Bytes, so that lines end alike on every system.
    sys.stdout.buffer.write(readable_csv(arff).encode())


def readable_csv(arff: str) -> str:
    r"""Text of the CSV that says what `arff` says, in our names and labels.

    Parameters
    ----------
    arff
        Text of the ARFF file, with any line endings.

    Returns
    -------
    str
        A header and one line per row, each ended by ``\n``.

    Raises
    ------
    ValueError
        If the columns or a value are not those of German Credit.
    """
    names, rows = parsed_arff(arff.splitlines())
    if names != list(NAMES):
        raise ValueError(f"These are not the columns of German Credit: {', '.join(names)}.")
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(NAMES.values())
    writer.writerows(readable_row(row) for row in rows)
    return output.getvalue()


def parsed_arff(lines: Iterable[str]) -> tuple[list[str], list[list[str]]]:
    """Names of the attributes and the rows of data, each value without its quotes.

    Reads what German Credit needs: dense rows, and attributes whose names have no spaces.
    """
    said = (line.strip() for line in lines)
    meaningful = iter([line for line in said if line and not line.startswith("%")])
    names = list(attribute_names(meaningful))
    return names, unquoted_rows(meaningful)


def attribute_names(lines: Iterator[str]) -> Iterator[str]:
    """Names declared before ``@data``; `lines` is left at the first row of data."""
    for line in lines:
        keyword, *rest = line.split()
        if keyword.lower() == "@data":
            return
        if keyword.lower() == "@attribute":
            yield rest[0].strip("'\"")


def unquoted_rows(lines: Iterable[str]) -> list[list[str]]:
    r"""Values of each line, cut at commas outside quotes.

    Some editions of the file quote labels twice, as in ``'\'existing paid\''``; both pairs go.
    """
    reader = csv.reader(
        lines, quotechar="'", escapechar="\\", doublequote=False, skipinitialspace=True
    )
    return [[value.strip(" '") for value in row] for row in reader]


def readable_row(row: Sequence[str]) -> list[str]:
    """One row in our labels."""
    return [readable_value(name, value) for name, value in zip(NAMES.values(), row, strict=True)]


def readable_value(name: str, value: str) -> str:
    """Our label for the source's `value` in our column `name`; numbers stay as they are."""
    if name not in LABELS:
        return str(int(value))
    if value not in LABELS[name]:
        raise ValueError(f"{name} has no label for {value!r}; known: {', '.join(LABELS[name])}.")
    return LABELS[name][value]


if __name__ == "__main__":
    main(sys.argv[1:])
