# lint_selftest.py FOLDER CC [CXX] - every lint is silent on a small clean tree and finds each
# violation that is planted in it. CC and CXX: as lint_headers.py takes them.
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

CLEAN = {
    "CMakeLists.txt": "project(Rind VERSION 1.2.3 LANGUAGES C)\n",
    "README.md": "# Rind\nSee [the guide](docs/guide.md).\n```sh\ntests/go.sh -R core\n```\n",
    "tests/go.sh": "#!/bin/sh\n# Runs the tests.\ntrue\n",
    "docs/changelog.md": "# Changes\n\n## 1.2.3 (unreleased)\n",
    "docs/guide.md": "# Guide\n```c\n/* first.c - a program. */\nint main(void) {}\n```\n",
    "apps/examples/first.c": "/* first.c - a program. */\nint main(void) {}\n",
    ".clang-format": "BasedOnStyle: LLVM\n",
    "include/rind/error.h": "/* rind/error.h - errors. */\n#pragma once\n"
                            "#define RIND_VERSION_MAJOR 1\n#define RIND_VERSION_MINOR 2\n"
                            "#define RIND_VERSION_PATCH 3\n",
    "include/rind/forest.h": "/* rind/forest.h - blocks. */\n#pragma once\n"
                             "#include <rind/error.h>\n",
    "include/rind/schedule.h": "/* rind/schedule.h - fills. */\n#pragma once\n"
                               "#include <rind/forest.h>\n",
    "src/core/core.h": "/* core.h - the core. */\n#pragma once\n#include <rind/error.h>\n",
    "src/core/core.c": "/* core.c - the core. */\n#include <core.h>\n",
    "src/forest/mesh.c": "/* mesh.c - a mesh. */\n#include <core.h>\n#include <p4est.h>\n"
                         "#include <rind/forest.h>\n",
    "schedules/rows.h": "/* rows.h - rows. */\n#pragma once\n#include <rind/schedule.h>\n",
    "schedules/rows.c": "/* rows.c - rows. MPI_Send() is only talked of. */\n#include <rows.h>\n",
    "kernels/host/sum.c": "/* sum.c - sums. */\n#include <rows.h>\n",
    "kernels/cuda/sum_device.cu": "/* sum_device.cu - sums. */\n#include <cuda_runtime.h>\n",
    "kernels/host/sum_body.h": "/* sum_body.h - included twice. */\n",
    "src/exchange/send.c": "/* send.c - messages. */\n#include <mpi.h>\n#include <rows.h>\n",
    "src/io/write.c": "/* write.c - files. */\n#include <hdf5.h>\n",
    "apps/run/main.c": "/* main.c - a program. */\n#include <hdf5.h>\n#include <rind/schedule.h>\n",
    "tests/core/check_rows.c": "/* check_rows.c - a test. */\n#include <rows.h>\n",
}

# lint, file, what is added (or, with a function, made of the text), what the report must hold.
PLANTED = [
    ("ladder", "src/core/core.c", "#include <rind/forest.h>\n", "src/core may not know src/forest"),
    ("ladder", "src/core/core.h", "#include <rind/schedule.h>\n", "may not know schedules"),
    ("ladder", "src/forest/mesh.c", "#include <rows.h>\n", "src/forest may not know schedules"),
    ("ladder", "schedules/rows.c", "#include \"../kernels/host/sum_body.h\"\n", "not know kernels"),
    ("ladder", "kernels/host/sum.c", "#include <rind/exchange.h>\n", "may not know src/exchange"),
    ("ladder", "include/rind/schedule.h", "#include <core.h>\n", "includes a private one"),
    ("ladder", "include/rind/new.h", "/* new.h - new. */\n#pragma once\n", "does not know"),
    ("ladder", "apps/run/main.c", "#include \"core.h\"\n", "includes a private header"),
    ("ladder", "src/io/write.c", "#include <p8est_ghost.h>\n", "p4est belongs in src/forest"),
    ("ladder", "include/rind/forest.h", "#include <p4est.h>\n", "p4est belongs in src/forest"),
    ("ladder", "include/rind/forest.h", "#include <hdf5.h>\n", "HDF5 belongs in"),
    ("ladder", "src/exchange/send.c", "#  include <cuda_runtime.h>\n", "CUDA belongs in"),
    ("ladder", "src/exchange/send.c", "void f(void) { cudaFree(0); }\n", "a CUDA call"),
    ("ladder", "src/core/core.cu", "/* core.cu - no. */\n", "CUDA sources belong in kernels/cuda"),
    ("ladder", "schedules/rows.c", "void f(void) { MPI_Barrier(0); }\n", "an MPI call"),
    ("ladder", "kernels/host/sum.c", "#include <mpi.h>\n", "MPI belongs in"),
    ("ladder", "kernels/cuda/sum_device.cu", "void f() { MPI_Wait(0, 0); }\n", "an MPI call"),
    ("files", "apps/other/core.c", "/* core.c - again. */\n", "same name"),
    ("files", "src/core/core.c", lambda text: "#include <core.h>\n", "src/core/core.c:1: must"),
    ("files", "src/core/core.h", lambda text: text.replace("#pragma once\n", ""), "no #pragma once"),
    ("files", "kernels/host/sum_body.h", "#pragma once\n", "a body has"),
    ("files", "src/core/core.c", "/* TO" + "DO: more */\n", "unfinished"),
    ("files", "docs/guide.md", "see /ho" + "me/someone/rind\n", "a path of one machine"),
    ("files", "tests/go.sh", "if true\n", "tests/go.sh:"),
    ("files", "tests/make.py", "import os\n", "no comment"),
    ("docs", "README.md", "more\n" * 100, "lines, 100 are enough"),
    ("docs", "README.md", "```sh\napps/missing.sh\n```\n", "no such command: apps/missing.sh"),
    ("docs", "README.md", "`rind-x fill --gone`\n", "no program has an option --gone"),
    ("docs", "README.md", "[gone](docs/gone.md)\n", "no such file: docs/gone.md"),
    ("docs", "docs/changelog.md", lambda text: "# Changes\n", "no section ## 1.2.3"),
    ("docs", "CMakeLists.txt", lambda text: text.replace("1.2.3", "1.2.4"), "version 1.2.3"),
    ("docs", "apps/examples/first.c", "\n", "is not apps/examples/first.c"),
    ("docs", "docs/guide.md", lambda text: "# Guide\n", "no program"),
    ("headers", "include/rind/forest.h", "size_t rind_size(void);\n", "include/rind/forest.h alone"),
    ("snippets", "README.md", "```c\nint x = y;\n```\n", "README.md: does not compile"),
    ("snippets", "docs/guide.md", "```cpp\nint *x = new y;\n```\n", "docs/guide.md: does not compile"),
    ("snippets", "docs/guide.md", "```c\n__global__ void f();\n```\n", "no example has all"),
    ("format", "src/core/core.c", "int  x ;\n", "src/core/core.c"),
]


def make_tree(root, planted=None):
    shutil.rmtree(root, ignore_errors=True)
    contents = dict(CLEAN)
    if planted:
        name, change = planted
        before = contents.get(name, "")
        contents[name] = change(before) if callable(change) else before + change
    for name, text in contents.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        if text.startswith("#!"):
            os.chmod(path, 0o755)


def run(lint, *arguments):
    done = subprocess.run([sys.executable, "-B", os.path.join(HERE, f"lint_{lint}.py"), *arguments],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def check_tree_lints(root, compilers):
    wrong = []
    for lint, name, change, expected in [(l, None, None, None) for l in
                                         ("ladder", "files", "docs", "headers", "snippets",
                                          "format")] + PLANTED:
        make_tree(root, (name, change) if name else None)
        given = {"headers": [[c] for c in compilers], "snippets": [compilers]}
        if change and "```cpp" in str(change) and len(compilers) < 2:
            continue
        for arguments in given.get(lint, [[]]):
            status, report = run(lint, root, *arguments)
            if status == 77:
                print(f"{lint}: skipped: {report.strip()}")
            elif not name and status != 0:
                wrong.append(f"{lint}: status {status} on a clean tree: {report}")
            elif name and (status != 1 or expected not in report):
                wrong.append(f"{lint}: {change!r} in {name}: status {status}, no \"{expected}\" in:"
                             f" {report}")
    return wrong


def check_symbols(root, compiler):
    """Libraries with and without a symbol of another name."""
    wrong = []
    make_tree(root)
    for kind in ("shared", "static"):
        for extra, status in (("", 0), ("int stray(void) { return 1; }", 1),
                              ("static int hidden(void) { return 1; }\n"
                               "int rind_b(void) { return hidden(); }", 0)):
            source, made = os.path.join(root, "lib.c"), os.path.join(root, "lib")
            with open(source, "w", encoding="utf-8") as file:
                file.write("int rind_a(void) { return 0; }\n" + extra + "\n")
            if kind == "shared":
                made += ".so"
                subprocess.run([compiler, "-shared", "-fPIC", source, "-o", made], check=True)
            else:
                subprocess.run([compiler, "-c", source, "-o", made + ".o"], check=True)
                made += ".a"
                subprocess.run(["ar", "rcs", made, os.path.join(root, "lib.o")], check=True)
            got, report = run("symbols", made)
            if got != status or (status == 1 and "stray" not in report):
                wrong.append(f"symbols: {kind}, \"{extra}\": status {got}: {report}")
            os.remove(made)
    return wrong


def main(folder, compilers):
    wrong = check_tree_lints(os.path.join(folder, "tree"), compilers)
    wrong += check_symbols(os.path.join(folder, "tree"), compilers[0].split()[0])
    print("\n".join(wrong) or f"{len(PLANTED)} planted violations found")
    sys.exit(1 if wrong else 0)


main(sys.argv[1], sys.argv[2:])
