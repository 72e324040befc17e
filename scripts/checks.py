"""What the checks of the repository share: their arguments, their output and their self-test."""

import argparse
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main(doc, findings, seeds=(), lint=lambda copy: ()):
    """Prints the findings in the repository to standard error and exits: with 1 if there is one,
    with 2 if a file cannot be read or has the wrong form, with 64 if the arguments are wrong. With
    --self-test, prints instead what `findings` and `lint` find in a copy with the seeds."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda message: parser.exit(64, f"{parser.format_usage()}{parser.prog}: {message}\n")
    if seeds:
        parser.add_argument("--self-test", action="store_true", help="seed each kind of violation in a "
                            "copy; pass if exactly these are found")
    options = parser.parse_args()
    try:
        if seeds and options.self_test:
            with tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(folder).resolve() / "package"
                sys.exit(self_test(copy, lambda: {*findings(copy), *lint(copy)}, seeds))
        found = list(findings(ROOT))
    except (OSError, ValueError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    print(*(f"{finding}\n" for finding in found), sep="", end="", file=sys.stderr)
    print(f"{len(found)} findings")
    sys.exit(1 if found else 0)


def self_test(copy, findings, seeds):
    """Appends the text of each seed (file, text, expected) to its file in a copy of the repository.
    Returns 1 if this leads to a finding that no seed expects, or not to each expected one."""
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "Tests", "*.csv"))
    known = findings()
    for name, text, _ in seeds:
        (copy / name).parent.mkdir(exist_ok=True)
        with open(copy / name, "a", encoding="utf-8") as file:
            file.write(text + "\n")
    found, expected = sorted(findings() - known), [each for _, _, each in seeds]
    wrong = [f"NOT FOUND: {each}" for each in expected if not any(re.match(each, one) for one in found)]
    wrong += [f"NOT EXPECTED: {one}" for one in found if not any(re.match(each, one) for each in expected)]
    print(*found, *wrong, sep="\n")
    return 1 if wrong else 0
