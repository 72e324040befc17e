"""Reads files of trials: the rows, and the facts of their sessions (see docs/csv.md)."""

import csv
import json

SESSION = "# session "

# The names of columns in files of earlier versions, with those of this version.
EARLIER_NAMES = {"fork": "session", "size": "entries"}


def split(lines):
    """Returns the lines of CSV, and the facts of the sessions as texts."""
    lines = list(lines)
    sessions = [
        json.loads(line[len(SESSION):], parse_int=str, parse_float=str)
        for line in lines if line.startswith(SESSION)]
    return [line for line in lines if not line.startswith(SESSION)], sessions


class Row(dict):
    """A row with the facts of its session. A column that the file lacks is empty."""

    def __missing__(self, column):
        return ""


def read(path):
    """Returns the rows of a file of this or an earlier version."""
    with open(path, newline="", encoding="utf-8") as file:
        lines, sessions = split(file)
    facts = {(session["run"], session["session"]): session for session in sessions}
    rows = csv.DictReader(lines, strict=True)
    rows.fieldnames = [EARLIER_NAMES.get(name, name) for name in rows.fieldnames]
    return [
        Row({**facts.get((row["run"], row.get("session", "")), {}), **row}) for row in rows]
