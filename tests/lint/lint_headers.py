# lint_headers.py ROOT "COMPILER OPTION..." - each public header compiles alone; the options choose
# the language.
import os
import shlex
import subprocess
import sys

import tree


def main(root, compile_command):
    command = shlex.split(compile_command)
    plus = any("++" in option for option in command)
    problems = []
    headers = [n for n in tree.files(root) if n.startswith("include/rind/") and n.endswith(".h")]
    if not headers:
        problems.append("no public headers")
    for name in headers:
        alone = f"#include <{name[len('include/'):]}>\nint rind_lint_alone;\n"
        done = subprocess.run(
            command + ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                       "-I", os.path.join(root, "include"), "-x", "c++" if plus else "c", "-"],
            input=alone, capture_output=True, text=True, check=False)
        if done.returncode:
            problems.append(f"{name} alone:\n{done.stderr}")
    tree.finish(problems)


main(sys.argv[1], sys.argv[2])
