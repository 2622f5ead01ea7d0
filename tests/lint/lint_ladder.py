# lint_ladder.py ROOT - each rung includes only itself and what is left of it.
import os
import re
import sys

import tree

# Left to right. Public headers belong to the rung that implements them.
RUNGS = [
    ["src/core"],
    ["src/forest"],
    ["schedules"],
    ["kernels"],
    ["src/exchange"],
    ["src/particles", "src/sph"],
    ["src/adapt", "src/io"],
    ["apps"],
]
PUBLIC = {
    "export.h": "src/core",
    "error.h": "src/core",
    "context.h": "src/core",
    "field.h": "src/core",
    "forest.h": "src/forest",
    "forest_p4est.h": "src/forest",
    "schedule.h": "schedules",
    "exchange.h": "src/exchange",
    "tiles.h": "src/exchange",
    "tiles.cuh": "src/exchange",
    "sph.h": "src/sph",
    "particles.h": "src/particles",
    "segment.h": "src/exchange",
    "io.h": "src/io",
    "rind.h": "apps",
}
# For the callers' kernels.
CUDA_HEADERS = ["include/rind/tiles.cuh"]
# Who may include the headers of other packages. Tests may include anything.
PACKAGES = [
    ("p4est", r"(p4est|p6est|p8est|sc)(_\w+)?\.h", ["src/forest"]),
    ("HDF5", r"hdf5(_hl)?\.h|H5\w+\.h", ["src/io", "apps"]),
    ("CUDA", r"(cuda|nvtx|cub/|thrust/|cooperative_groups).*", ["kernels/cuda", "apps"]),
    ("MPI", r"mpi\.h", ["include", "src", "apps"]),
    ("PNG", r"png\.h", ["apps"]),
]
# Words that may not stand in a folder's code.
WORDS = [
    ("an MPI call", r"\bMPIX?_[A-Z]\w*\s*\(", ["schedules", "kernels"], []),
    ("a CUDA call", r"\bcuda[A-Z]\w*\s*\(|<<<", ["include", "src", "schedules", "kernels"],
     ["kernels/cuda"]),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def inside(name, folder):
    return name.startswith(folder + "/")


def rung_of(name):
    """Number and folder of the rung that a file belongs to, or None."""
    if inside(name, "include/rind"):
        home = PUBLIC.get(name[len("include/rind/"):])
        name = home + "/" if home else name
    for number, folders in enumerate(RUNGS):
        for folder in folders:
            if inside(name, folder):
                return number, folder
    return None


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def resolve(header, by_name):
    if header.startswith("rind/"):
        return "include/" + header
    return by_name.get(os.path.basename(header))


def check_include(name, header, target):
    """What is wrong with name including header, which is the project's file target."""
    if inside(name, "tests") or target is None:
        return None
    if inside(target, "tests"):
        return "includes a file of the tests"
    if inside(name, "apps"):
        public = inside(target, "include/rind") or inside(target, "apps")
        return None if public else "a program includes a private header"
    mine, its = rung_of(name), rung_of(target)
    if its is None:
        return "a public header that the ladder does not know" if inside(target, "include") else None
    if inside(name, "include/rind") and not inside(target, "include/rind"):
        return "a public header includes a private one"
    if mine is not None and its[0] > mine[0]:
        return f"{mine[1]} may not know {its[1]}, which is further right"
    return None


def check_package(name, header):
    if inside(name, "tests"):
        return None
    for package, pattern, folders in PACKAGES:
        if re.fullmatch(pattern, header) and not any(inside(name, f) for f in folders):
            return f"{package} belongs in {', '.join(folders)}"
    if re.fullmatch(r"mpi\.h", header) and any(inside(name, f) for f in ("schedules", "kernels")):
        return "MPI has no place here"
    return None


def check_words(name, text):
    for what, pattern, folders, allowed in WORDS:
        found = re.search(pattern, text)
        if found and any(inside(name, f) for f in folders) and not any(
                inside(name, f) for f in allowed):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{name}: {what} near line {line}: {found.group(0).strip()}"


def main(root):
    problems = []
    names = tree.sources(root)
    by_name = {os.path.basename(n): n for n in names if not inside(n, "include")}
    for name in names:
        text = without_comments(tree.read(root, name))
        if name.endswith((".cu", ".cuh")) and name not in CUDA_HEADERS and not any(
                inside(name, folder) for folder in ("kernels/cuda", "apps", "tests")):
            problems.append(f"{name}: CUDA sources belong in kernels/cuda or apps")
        if inside(name, "include/rind") and rung_of(name) is None:
            problems.append(f"{name}: a public header that the ladder does not know")
        for header in INCLUDE.findall(text):
            target = resolve(header, by_name)
            for wrong in (check_include(name, header, target), check_package(name, header)):
                if wrong:
                    problems.append(f"{name}: #include {header}: {wrong}")
        problems += check_words(name, text)
    tree.finish(problems)


main(sys.argv[1])
