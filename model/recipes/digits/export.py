"""Writes scikit-learn's digits as lines of 64 grey levels and a digit, in their order.

    pip install scikit-learn==1.9.1
    python export.py digits.csv
"""

import sys

from sklearn.datasets import load_digits

digits = load_digits()
with open(sys.argv[1], "w", encoding="ascii", newline="\n") as out:
    for levels, digit in zip(digits.data.astype(int), digits.target):
        out.write(",".join(map(str, [*levels, digit])) + "\n")
