# lint_format.py ROOT - clang-format 14 would change nothing; 77 without clang-format 14.
import os
import shutil
import subprocess
import sys

import tree


def clang_format():
    for name in ("clang-format-14", "clang-format"):
        path = shutil.which(name)
        if path and " 14." in subprocess.run([path, "--version"], capture_output=True, text=True,
                                             check=False).stdout:
            return path
    return None


def main(root):
    program = clang_format()
    if not program:
        print("no clang-format 14 here")
        sys.exit(77)
    names = [os.path.join(root, name) for name in tree.sources(root)]
    if not names:
        tree.finish(["no sources"])
    done = subprocess.run([program, "--dry-run", "-Werror", "--style=file"] + names,
                          capture_output=True, text=True, check=False)
    tree.finish(done.stderr.splitlines() if done.returncode else [])


main(sys.argv[1])
