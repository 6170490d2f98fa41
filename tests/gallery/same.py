#!/usr/bin/env python3
"""What `warpwright check` finds in the gallery is the same to the last byte whatever the number of host threads and the
engine, and under a schedule that has a seed. usage: same.py WARPWRIGHT FOLDER_OF_PROGRAMS"""
import json, os, pathlib, subprocess, sys, tempfile

warpwright, folder = sys.argv[1], pathlib.Path(sys.argv[2])
CASES = """races tile reduction warp_reduction last_block histogram narrow_scope in_place broadcast append set_to_zero
groups grid_phases tile_sync arrive_only barrier_rounds others_copies
tiles shared_parts scan_sums bit_flags
idioms volatile_ring no_swap short_stride
warps half_shuffle sum_unset absent_lane"""
failed = 0


def findings(program, case, engine, threads, options):
    with tempfile.TemporaryDirectory() as there:
        out = pathlib.Path(there) / "found.json"
        subprocess.run([warpwright, "check", "--engine", engine, *options, "--format", "json", "--out", str(out), program, case],
                       capture_output=True, timeout=120, env=dict(os.environ, WARPWRIGHT_THREADS=str(threads)))
        return json.loads(out.read_text())["findings"]


for line in CASES.splitlines():
    name, *cases = line.split()
    for case in cases:
        # Without races, blocks run on several threads.
        for options in ([], ["--check", "memory,arrays,values,warps"], ["--schedule", "random:7"]):
            runs = [findings(str(folder / f"gallery_{name}"), case, *how, options)
                    for how in ([("interpreter", 1), ("compiled", 4)] if options[:1] == ["--schedule"] else
                                [("interpreter", 1), ("interpreter", 2), ("interpreter", 4), ("compiled", 4)])]
            if not runs[0] and not options:
                failed += 1
                print(f"{name} {case}: nothing found")
            if any(r != runs[0] for r in runs):
                failed += 1
                print(f"{name} {case} {options}: findings differ: {[len(r) for r in runs]}")
print(f"{failed} failed")
sys.exit(failed > 0)
