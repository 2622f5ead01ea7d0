# lint_snippets.py ROOT "CC OPTION..." ["CXX OPTION..."] - C and C++ in the documents compiles as it is
# written, with the names that it supposes declared before it; lines of CUDA are those of an example.
import os
import re
import shlex
import subprocess
import sys

import tree

FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
HEADERS = ("rind", "forest_p4est", "sph", "segment", "particles", "io")

# What the pieces of a document are parts of.
SUPPOSED = {
    "README.md": """
rind_context *context;
int refine_here(const rind_block *block, void *user);
void inner_fluxes(rind_field *field, double *rate);
void outer_fluxes(rind_field *field, double *rate);
void advance(rind_field *field, double *rate, double *t);
double t, end, *rate;
""",
    "docs/guide.md": """
rind_context *context;
rind_forest *forest;
void must(rind_error error);
""",
    "docs/adjoint.md": """
rind_schedule *schedule;
rind_layout layout;
rind_exchange *exchange;
rind_field *u, *u_bar;
""",
    "docs/particles.md": """
int64_t n;
double *x, *y, *mass, *by_position[3], *by_mass[1];
rind_forest *forest;
rind_particles *particles;
rind_schedule *schedule;
rind_layout layout;
rind_exchange *exchange;
rind_field *field;
""",
    "docs/segments.md": """
rind_context *context;
int64_t num_segments, num_values, *index;
double *ordered, *values, *sums;
""",
    "docs/sph.md": """
rind_particles *particles;
double *along_x, *along_y;
""",
}


def compile_errors(root, command, language, supposed, block):
    includes = "".join(f"#include <rind/{h}.h>\n" for h in HEADERS
                       if os.path.exists(os.path.join(root, "include", "rind", h + ".h")))
    body = re.sub(r"^\.\.\.", "", block, flags=re.M)
    text = f"{includes}{supposed}\nvoid snippet(void);\nvoid snippet(void) {{\n{body}}}\n"
    done = subprocess.run(
        shlex.split(command) + ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused",
                                "-fsyntax-only", "-I", os.path.join(root, "include"),
                                "-x", "c++" if language == "cpp" else "c", "-"],
        input=text, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def main(root, compilers):
    problems = []
    examples = [tree.read(root, n).split("\n") for n in tree.files(root)
                if n.startswith("apps/examples/") and n.endswith(".cu")]
    for name in tree.files(root):
        if not name.endswith(".md"):
            continue
        for language, block in FENCE.findall(tree.read(root, name)):
            if language not in ("c", "cpp") or re.match(r"/\* \S+\.c - ", block):
                continue  # a whole program is compared with its file: lint_docs.py
            if "__global__" in block or "<<<" in block:
                lines = [line for line in block.split("\n") if line]
                if not any(all(line in example for line in lines) for example in examples):
                    problems.append(f"{name}: no example has all of these lines:\n{block}")
            elif language in compilers:
                errors = compile_errors(root, compilers[language], language,
                                        SUPPOSED.get(name, ""), block)
                if errors:
                    problems.append(f"{name}: does not compile:\n{block}{errors}")
    tree.finish(problems)


main(sys.argv[1], dict(zip(("c", "cpp"), sys.argv[2:])))
