#!/usr/bin/env python3
"""`warpwright check` on the programs of the gallery: every case is found at the line whose comment says so, with no other
kind of finding, and its fixed twin is clean. usage: check.py WARPWRIGHT FOLDER_OF_PROGRAMS FILE.cu..."""
import json, os, pathlib, re, subprocess, sys, tempfile

warpwright, folder = sys.argv[1], pathlib.Path(sys.argv[2])
failed = 0
protection_keys = "ospke" in pathlib.Path("/proc/cpuinfo").read_text()


def findings(program, case):
    with tempfile.TemporaryDirectory() as there:
        out = pathlib.Path(there) / "found.json"
        hints = program.name == "gallery_hints"
        options = ["--leak-check"] if "leak" in case else ["--check", "hints"] if hints else []
        subprocess.run([warpwright, "check", "--format", "json", "--out", str(out), *options, str(program), case],
                       capture_output=True, timeout=120)
        return [f for f in json.loads(out.read_text())["findings"] if hints or f["severity"] != "hint"]


def marks(text):
    """Of each comment that says what is found: its text and the lines of the statement that it stands at or behind."""
    first, statement, said = 1, [], []
    for number, line in enumerate(text.splitlines(), 1):
        code, _, comment = line.partition("//")
        if not code.strip():  # goes on with the comment above
            if said and comment:
                said[-1][0] += " " + comment.strip()
            continue
        if not statement:
            first = number
        statement.append(number)
        if comment:
            said.append([comment.strip(), range(first, number + 1)])
        else:
            said.append(["", range(first, number + 1)])
        if code.rstrip()[-1] in ";{}:":
            statement = []
    return said


def shown(found):
    return "; ".join(f"{f['kind']} at {[p['line'] for p in f['parties']] or 'host'}" for f in found) or "nothing"


for file in map(pathlib.Path, sys.argv[3:]):
    program = folder / ("gallery_" + file.stem)
    expected = {}  # case: [(kind, lines)]
    by_keys = set(re.findall(r"finds (\w+): .*by protection keys", file.read_text()))  # not found without
    for comment, lines in marks(file.read_text()):
        for case, kind in re.findall(r"finds (\w+): ([^;]+?)(?:; |$)", comment):
            expected.setdefault(case, []).append((kind, range(1) if "; host" in comment else lines))
    cases = subprocess.run([str(program)], capture_output=True, text=True).stdout.split()
    for case in cases:
        if case in by_keys and not protection_keys:
            del expected[case]
            continue
        found = findings(program, case)
        wanted = expected.pop(case, [])
        met = [(f["kind"], p["line"]) for f in found for p in f["parties"] or [{"line": 0}]]
        good = all(any(kind == k and line in lines for k, line in met) for kind, lines in wanted)
        good = good and {f["kind"] for f in found} <= {kind for kind, _ in wanted}
        if case.endswith("_fixed") and wanted:
            good = False
        if not case.endswith("_fixed") and not wanted:
            good = False
        if not good:
            failed += 1
            print(f"{file.name} {case}: wanted {[(k, [*l]) for k, l in wanted] or 'nothing'}, found {shown(found)}")
    for case in expected:
        failed += 1
        print(f"{file.name}: no case {case}")
print(f"{failed} failed")
sys.exit(failed > 0)
