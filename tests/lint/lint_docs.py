# lint_docs.py ROOT - what the documents claim: commands, links, versions, the program of the guide.
import os
import re
import sys

import tree

README_LINES = 100
TOOLS = {"git", "cd", "cmake", "ctest", "cc", "mpicc", "mpiexec", "export", "apt-get"}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
PROGRAM = re.compile(r"\brind-[a-z]+ ([^`\n]*)")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def exists(root, *path):
    return os.path.exists(os.path.join(root, *path))


def check_commands(root, name, text):
    """The first word of each line of a shell block is a tool or a program of the project."""
    for language, block in FENCE.findall(text):
        if language not in ("sh", "bash"):
            continue
        for line in block.replace("\\\n", " ").split("\n"):
            words = [w for w in line.split("#")[0].split() if "=" not in w]
            if not words or words[0] in TOOLS:
                continue
            program = os.path.join(root, words[0])
            if words[0].startswith(("build/", "./")):
                continue
            if "/" not in words[0] or not os.access(program, os.X_OK):
                yield f"{name}: no such command: {words[0]}"


def check_links(root, name, text):
    for link in LINK.findall(text):
        if "://" in link or link.startswith("mailto:"):
            continue
        if not exists(root, os.path.dirname(name), link):
            yield f"{name}: no such file: {link}"


def check_options(name, text, programs):
    """Options behind a program's name are in the tables of our programs' options."""
    for words in PROGRAM.findall(text):
        for option in re.findall(r"(?<!\S)--([a-z][\w-]*)", words):
            if option not in ("help", "version") and f'{{"{option}", APP_' not in programs:
                yield f"{name}: no program has an option --{option}"


def check_versions(root):
    header = tree.read(root, "include/rind/error.h")
    parts = [re.search(rf"RIND_VERSION_{part}\s+(\d+)", header) for part in
             ("MAJOR", "MINOR", "PATCH")]
    in_header = ".".join(part.group(1) if part else "?" for part in parts)
    in_cmake = re.search(r"project\(Rind\s+VERSION\s+([\d.]+)", tree.read(root, "CMakeLists.txt"))
    if not in_cmake or in_cmake.group(1) != in_header:
        yield (f"include/rind/error.h: version {in_header}, CMakeLists.txt has "
               f"{in_cmake.group(1) if in_cmake else 'none'}")
    if not re.search(rf"^## {re.escape(in_header)}\b", tree.read(root, "docs/changelog.md"), re.M):
        yield f"docs/changelog.md: no section ## {in_header}"


def check_guide(root):
    """Each C program in the guide that names its file is that file."""
    blocks = FENCE.findall(tree.read(root, "docs/guide.md"))
    programs = 0
    for language, block in blocks:
        named = re.match(r"/\* (\S+\.c) - ", block)
        if language != "c" or not named:
            continue
        programs += 1
        path = "apps/examples/" + named.group(1)
        if not exists(root, path):
            yield f"docs/guide.md: no {path}"
        elif tree.read(root, path) != block:
            yield f"docs/guide.md: its {named.group(1)} is not {path}"
    if programs == 0:
        yield "docs/guide.md: no program"


def main(root):
    problems = []
    programs = "".join(tree.read(root, n) for n in tree.sources(root) if n.startswith("apps/"))
    for name in tree.files(root):
        if name.endswith(".md"):
            text = tree.read(root, name)
            problems += check_options(name, text, programs)
            problems += check_links(root, name, text)
            if name in ("README.md", "docs/guide.md", "docs/testing.md"):
                problems += check_commands(root, name, text)
    if not exists(root, "README.md"):
        problems.append("no README.md")
    else:
        lines = tree.read(root, "README.md").count("\n")
        if lines > README_LINES:
            problems.append(f"README.md: {lines} lines, {README_LINES} are enough")
    problems += check_versions(root)
    problems += check_guide(root)
    tree.finish(problems)


main(sys.argv[1])
