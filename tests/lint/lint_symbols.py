# lint_symbols.py LIBRARY... - what shared libraries export, and what object files of static ones
# define for others, begins with rind_.
import re
import subprocess
import sys

import tree

# What sanitizers and the linker put there.
NOT_OURS = re.compile(r"__asan_|__odr_asan|__ubsan_|__sanitizer|__gcov|_init$|_fini$|_edata$|_end$"
                      r"|__bss_start$")


def symbols(library):
    """Pairs of object file and symbol."""
    if not library.endswith(".a"):
        lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True,
                               text=True, check=True).stdout
        return [(library, line.split()[-1]) for line in lines.splitlines()]
    found, member = [], library
    lines = subprocess.run(["nm", "-g", "--defined-only", library], capture_output=True, text=True,
                           check=True).stdout
    for line in lines.splitlines():
        if line.endswith(":"):
            member = line[:-1]
        elif line:
            found.append((member, line.split()[-1]))
    # nvcc has its own names.
    return [(member, symbol) for member, symbol in found if ".cu." not in member]


def main(libraries):
    problems = []
    for library in libraries:
        found = symbols(library)
        ours = [s for _, s in found if s.startswith("rind_")]
        if not ours:
            problems.append(f"{library}: no symbols")
        problems += [f"{where}: {s} does not begin with rind_" for where, s in found
                     if not s.startswith("rind_") and not NOT_OURS.match(s)]
    tree.finish(problems)


main(sys.argv[1:])
