"""Writes digits.csv as lines of text, one picture each: its digit, then its 64 cells in five levels, row by row.

    python lines.py digits.csv train.tsv test.tsv

The last 360 pictures are the test's. Those of training come nine times, moved by at most one cell in each direction.
"""

import csv
import sys

SIDE = 8
# From empty to full; 0 to 16 in digits.csv.
LEVELS = "▫░▒▓█"
TESTED = 360


def level(grey: int) -> str:
    return LEVELS[(grey + 2) // 4]


def moved(picture: list[int], down: int, right: int) -> list[int]:
    """The picture moved by so many cells; what comes in from outside is empty."""

    def cell(row: int, column: int) -> int:
        is_inside = 0 <= row < SIDE and 0 <= column < SIDE
        return picture[row * SIDE + column] if is_inside else 0

    return [cell(row - down, column - right) for row in range(SIDE) for column in range(SIDE)]


def line(digit: int, picture: list[int]) -> str:
    return " ".join([str(digit), *map(level, picture)])


source, train, test = sys.argv[1:]
with open(source, encoding="ascii", newline="") as file:
    rows = [list(map(int, row)) for row in csv.reader(file)]
with open(train, "w", encoding="utf-8", newline="\n") as out:
    for *picture, digit in rows[:-TESTED]:
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                out.write(line(digit, moved(picture, down, right)) + "\n")
with open(test, "w", encoding="utf-8", newline="\n") as out:
    for *picture, digit in rows[-TESTED:]:
        out.write(line(digit, picture) + "\n")
