# tree.py - what the lint scripts share: the project's files, and the report.
import os
import subprocess
import sys

SOURCES = (".c", ".h", ".cu", ".cuh")
LEFT_OUT = {".git", "build", ".dev"}


def files(root):
    """Paths of the project's files below root, with /: tracked ones, or all outside a checkout."""
    if os.path.exists(os.path.join(root, ".git")):
        # Somebody else may own the checkout, as in containers.
        command = ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z"]
        listed = subprocess.run(command, capture_output=True, check=False)
        if listed.returncode == 0:
            names = listed.stdout.decode().split("\0")
            return sorted(n for n in names if n and os.path.exists(os.path.join(root, n)))
    found = []
    for folder, inside, names in os.walk(root):
        inside[:] = [i for i in inside if i not in LEFT_OUT]
        found += [os.path.relpath(os.path.join(folder, n), root) for n in names]
    return sorted(name.replace(os.sep, "/") for name in found)


def sources(root):
    return [name for name in files(root) if name.endswith(SOURCES)]


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def finish(problems):
    """Prints the problems; ends the program with 1 if there are any."""
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
