#!/usr/bin/env python3
"""Golden tests: a file says its command and what it must print.

    // COMMAND: ptx --quiet %s        the program's arguments; %s is this file, %d an empty folder
    // SKIP: The best                 leaves out printed paragraphs that begin so: figures that compilers decide
    ... the input ...
    // EXIT: 2                        left out when 0
    // STDOUT:
    // text
    // STDERR:
    // text

Several COMMANDs run in order and their expectations follow in that order. The file's name is printed as %s, the
folder's as %d; the commands of a file share it. In files that
are not PTX or CUDA the comment sign is '#'. `--rebase` writes what the program printed into the files: look at the diff.
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MARKS = {".ptx": "//", ".cu": "//"}


def split(path):
    """The lines of the input, and those of the expectations."""
    mark = MARKS.get(path.suffix, "#")
    lines = path.read_text().splitlines()
    for i, line in enumerate(lines):
        if re.match(rf"{mark} (EXIT|STDOUT|STDERR):", line):
            return mark, lines[:i], lines[i:]
    return mark, lines, []


def run(path, program):
    """What the expectations should be."""
    mark, head, _ = split(path)
    skipped = tuple(line.split("SKIP:", 1)[1].strip() for line in head if line.startswith(f"{mark} SKIP:"))
    commands = [line.split("COMMAND:", 1)[1].split() for line in head if line.startswith(f"{mark} COMMAND:")]
    if not commands:
        raise ValueError(f"no '{mark} COMMAND:' line")
    out = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "SOURCE_DATE_EPOCH": "0"}  # not the user's, nor today
        environment.pop("WARPWRIGHT_CODE_CACHE", None)  # with code that another test left, another engine runs
        for words in commands:
            words = [word.replace("%s", str(path)).replace("%d", folder) for word in words]
            done = subprocess.run([program, *words], capture_output=True, timeout=120, cwd=path.parent, env=environment)
            if done.returncode != 0:
                out.append(f"{mark} EXIT: {done.returncode}")
            for name, data in ("STDOUT", done.stdout), ("STDERR", done.stderr):
                text = data.decode(errors="replace").replace(str(path), "%s").replace(folder, "%d")
                if skipped:
                    text = "\n\n".join(part for part in text.split("\n\n") if not part.startswith(skipped))
                if text:
                    out.append(f"{mark} {name}:")
                    out += [f"{mark} {line}".rstrip() for line in text.splitlines()]
            if len(commands) > 1 or not out:
                out.append(f"{mark} EXIT: 0" if done.returncode == 0 else f"{mark} END")
    return out


def check(path, program, rebase):
    try:
        got = run(path, program)
    except (ValueError, subprocess.TimeoutExpired) as error:
        return f"{path}: {error}"
    mark, head, expected = split(path)
    if got == expected:
        return ""
    if rebase:
        path.write_text("\n".join(head + got) + "\n")
        return ""
    diff = difflib.unified_diff(expected, got, "expected", "printed", lineterm="", n=2)
    return f"{path}:\n" + "\n".join(diff)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=pathlib.Path, help="files or folders")
    parser.add_argument("--program", required=True, help="the warpwright executable")
    parser.add_argument("--rebase", action="store_true", help="rewrite the expectations")
    parser.add_argument("-k", metavar="TEXT", default="", help="only files whose name has TEXT")
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="how many at once")
    arguments = parser.parse_args()
    files = []
    for path in arguments.paths:
        found = sorted(path.iterdir()) if path.is_dir() else [path]
        files += [p.resolve() for p in found if p.is_file() and not p.name.startswith(".") and arguments.k in p.name]
    if not files:
        sys.exit("no tests found")
    program = str(pathlib.Path(arguments.program).resolve())
    with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        failures = [f for f in pool.map(lambda p: check(p, program, arguments.rebase), files) if f]
    print("\n\n".join(failures))
    print(f"{len(files) - len(failures)} of {len(files)} passed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
