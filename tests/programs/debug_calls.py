#!/usr/bin/env python3
"""`warpwright check` finds what debug_calls.cu says (its lines `// FOUND kind`), at these lines, and nothing else."""
import json, pathlib, re, subprocess, sys, tempfile

program, source = sys.argv[1], pathlib.Path(sys.argv[3])
with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder) / "found.json"
    run = subprocess.run([program, "check", "--format", "json", "--out", str(out), sys.argv[2]], capture_output=True, text=True,
                         timeout=150)
    findings = json.loads(out.read_text())["findings"]
found = {(f["kind"], p["line"]) if pathlib.Path(p["file"]).name == source.name else (f["kind"], p["file"])
         for f in findings if f["severity"] != "hint" for p in f["parties"]}
lines = enumerate(source.read_text().splitlines(), 1)
expected = {(match[1], line) for line, text in lines if (match := re.search("// FOUND (.*)", text))}
for what, which in ("missing", expected - found), ("not expected", found - expected):
    for kind, where in sorted(which, key=str):
        print(f"{what}: {kind} at {where}")
if found != expected:
    print(run.stdout, run.stderr)
sys.exit(found != expected)
