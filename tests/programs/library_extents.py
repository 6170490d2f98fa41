#!/usr/bin/env python3
"""`warpwright check` says what each library_extents*.cu expects (its lines `expect …`), as often, and nothing else."""
import collections, json, pathlib, subprocess, sys, tempfile

failed = 0
for program in sys.argv[2:]:
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "found.json"
        run = subprocess.run([sys.argv[1], "check", "--format", "json", "--out", str(out), program], capture_output=True,
                             text=True, timeout=150)
        found = collections.Counter(f["message"] for f in json.loads(out.read_text())["findings"])
    expected = collections.Counter(line.removeprefix("expect ") for line in run.stdout.splitlines()
                                   if line.startswith("expect "))
    for what, which in ("missing", expected - found), ("not expected", found - expected):
        for message, times in sorted(which.items()):
            print(f"{pathlib.Path(program).name}: {what}, {times} times: {message}")
            failed += times
    if not expected:
        print(f"{program} expects nothing\n{run.stdout}{run.stderr}")
        failed += 1
sys.exit(failed != 0)
