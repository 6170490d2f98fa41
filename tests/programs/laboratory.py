"""The laboratory's kernels in a plain program of the runtime API: `profile` counts for them what `study` counts.

Usage: laboratory.py WARPWRIGHT PROGRAM
"""
import csv
import json
import pathlib
import subprocess
import sys

STUDY = pathlib.Path(__file__).with_suffix(".json")
warpwright, program = sys.argv[1:]
gpus = json.loads(STUDY.read_text())["gpus"]


def counted(arguments, key_of):
    """Metric -> value of what was counted, for each launch and GPU."""
    done = subprocess.run([warpwright, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    lines = done.stdout[done.stdout.index("study,kernel,"):].splitlines()  # the program prints, too
    out = {}
    for row in csv.DictReader(lines):
        if row["provenance"] == "counted":
            out.setdefault((key_of(row), row["gpu"]), {})[row["metric"]] = row["value"]
    return out


profiled = counted(["profile", "--gpu", ",".join(gpus), "--format", "csv", program], lambda row: row["kernel"])
studied = counted(["study", str(STUDY), "--format", "csv", "--metric", "all", "--no-cache"],
                  lambda row: row["kernel"].replace("/", "_") + "_" + row["block"])
assert len(studied) == 5 * len(gpus) and profiled.keys() == studied.keys(), (profiled.keys(), studied.keys())
wrong = []
for launch, metrics in studied.items():
    both = metrics.keys() & profiled[launch].keys()
    assert len(both) >= 40, (launch, len(both))
    wrong += [(launch, m, profiled[launch][m], metrics[m]) for m in sorted(both) if profiled[launch][m] != metrics[m]]
    print(*launch, len(both), "counters")
    for alone in sorted(metrics.keys() ^ profiled[launch].keys()):
        print("  only in one:", alone)
for line in wrong:
    print("differs (profile, study):", *line)
sys.exit(bool(wrong))
