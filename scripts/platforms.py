"""What test-apple and test-arm64 share: the modules of this package, those of the standard library
for another target, and the ends of a script that cannot check anything."""

import argparse
import functools
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STUBS = ROOT / "Tests/Apple"
NAME = Path(sys.argv[0]).name
# The folder of what a script downloads and makes, which later runs use.
BUILD = ROOT / NAME.replace("test-", ".build-")


def fail(status, message):
    print(f"{NAME}: {message}", file=sys.stderr)
    sys.exit(status)


def argument_parser(doc):
    """Returns a parser that exits with 64 if the arguments are wrong."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda message: parser.exit(64, f"{parser.format_usage()}{NAME}: {message}\n")
    return parser


def give_up(message):
    """Ends the script because the machine cannot check anything."""
    if os.environ.get("CI"):
        fail(2, message)
    print(f"{NAME}: nothing is checked: {message}", file=sys.stderr)
    sys.exit(0)


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, cwd=ROOT).stdout


def write(path, text):
    """Writes a file, unless it is the same: what was compiled from it is then used again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, encoding="utf-8")


@functools.cache
def library():
    """Returns the folder of the toolchain's standard library."""
    return Path(json.loads(output("swiftc", "-print-target-info"))["paths"]["runtimeResourcePath"])


def link_resources(resources):
    """Makes the folder of the standard library's modules, and links what every target has."""
    resources.mkdir(parents=True, exist_ok=True)
    for part in ("clang", "shims", "apinotes", "host"):
        (resources / part).unlink(missing_ok=True)
        (resources / part).symlink_to(library() / part)


def interface(module, triple):
    """Returns the head and the rest of the interface of a module of the toolchain, with another
    target, which has no numbers of 80 bits."""
    path = library() / f"linux/{module}.swiftmodule/x86_64-unknown-linux-gnu.swiftinterface"
    head, body = path.read_text("utf-8").split("import ", 1)
    body = re.sub(r"self = _stdlib_(remainderl|squareRootl)\(.*\)", "fatalError()", body)
    return head.replace("-target x86_64-unknown-linux-gnu", f"-target {triple}").replace(" -static", ""), "import " + body


@dataclass
class Module:
    """A target of the manifest."""

    name: str
    folder: Path
    needs: list
    features: list
    resources: list
    is_test: bool

    @property
    def c_files(self):
        """Returns its C files, without the one that findleaks compiles itself."""
        return [path for path in sorted(self.folder.rglob("*.c")) if path.parent.name != "Preload"]

    @property
    def files(self):
        """Returns its Swift files, with the one that SwiftPM would make for its resources."""
        files = sorted(self.folder.rglob("*.swift"))
        if self.resources:
            text = "import Foundation\nextension Bundle { static var module: Bundle { .main } }\n"
            for resource in self.resources:
                name = re.sub(r"\W", "_", Path(resource["path"]).name)
                if "embedInCode" in resource["rule"]:
                    text = f"struct PackageResources {{ static let {name}: [UInt8] = [] }}\n"
            files.append(BUILD / f"resources/{self.name}.swift")
            write(files[-1], text)
        return files


@functools.cache
def modules_of_package():
    """Returns the targets of the manifest with code to compile, each after those that it needs."""
    targets = {target["name"]: target for target in json.loads(output("swift", "package", "dump-package"))["targets"]}
    ordered = {}

    def visit(name):
        target = targets.get(name)
        if target is None or name in ordered or target["type"] in ("system", "plugin"):
            return
        needs = [dependency.get("byName", dependency.get("target", [None]))[0] for dependency in target["dependencies"]]
        for need in needs:
            visit(need)
        folder = "Tests" if target["type"] == "test" else "Sources"
        kinds = [setting["kind"] for setting in target["settings"]]
        ordered[name] = Module(
            name, ROOT / target.get("path", f"{folder}/{name}"), needs,
            [kind["enableUpcomingFeature"]["_0"] for kind in kinds if "enableUpcomingFeature" in kind],
            target["resources"], target["type"] == "test")

    for name in targets:
        visit(name)
    return list(ordered.values())


def write_module_maps(extra=""):
    """Writes the map with which Swift imports the package's C targets, and returns its path."""
    path = BUILD / "maps/module.modulemap"
    write(path, extra + "".join(
        f'module {module.name} {{ header "{header}" export * }}\n'
        for module in modules_of_package() if (header := module.folder / f"include/{module.name}.h").exists()))
    return path
