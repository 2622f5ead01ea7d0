# lint_files.py ROOT - names, first lines, unfinished places, paths of somebody's machine.
import os
import re
import subprocess
import sys

import tree

# Names that every folder may have.
COMMON_NAMES = {"CMakeLists.txt", "README.md"}
FIRST_LINE = re.compile(r"/\* (\S+) - \S.*")
# In pieces, so that these lines do not find themselves.
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX"]) + r")\b")
MACHINE = re.compile(r"(?<![\w.$}~-])/" + r"(home|root|Users|work|farm|scratch)/\w")


def check_unique(names):
    seen = {}
    for name in names:
        base = os.path.basename(name)
        if base not in COMMON_NAMES and base in seen:
            yield f"{name}: {seen[base]} has the same name"
        seen[base] = name


def check_source(name, text, names):
    lines = text.split("\n")
    first = FIRST_LINE.match(lines[0])
    base = os.path.basename(name)
    if not first or os.path.basename(first.group(1)) != base:
        yield f"{name}:1: must read /* {base} - what the file is for"
    if name.endswith((".h", ".cuh")):
        # A body without a .c of its own is included more than once.
        body = base.endswith(("_body.h", "_body.cuh")) and name[:-1] + "c" not in names
        once = "#pragma once" in lines
        if once == body:
            yield f"{name}: {'a body has' if once else 'no'} #pragma once"


def check_script(root, name, text):
    lines = text.split("\n")
    comment = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
    if not comment.startswith("# "):
        yield f"{name}: the first line is no comment that says what the file is for"
    if name.endswith(".sh"):
        checked = subprocess.run(["bash", "-n", os.path.join(root, name)], capture_output=True,
                                 text=True, check=False)
        if checked.returncode:
            yield f"{name}: {checked.stderr.strip()}"
        if lines[0].startswith("#!") and not os.access(os.path.join(root, name), os.X_OK):
            yield f"{name}: has #! but no run bit"


def check_lines(name, text):
    for number, line in enumerate(text.split("\n"), 1):
        if UNFINISHED.search(line):
            yield f"{name}:{number}: unfinished: {line.strip()}"
        if MACHINE.search(line):
            yield f"{name}:{number}: a path of one machine: {line.strip()}"


def main(root):
    names = tree.files(root)
    problems = list(check_unique(names))
    for name in names:
        with open(os.path.join(root, name), "rb") as file:
            if b"\0" in file.read(4096):
                continue
        text = tree.read(root, name)
        if name.endswith(tree.SOURCES):
            problems += check_source(name, text, names)
        if name.endswith((".sh", ".py", ".cmake")) or os.path.basename(name) == "run":
            problems += check_script(root, name, text)
        problems += check_lines(name, text)
    tree.finish(problems)


main(sys.argv[1])
