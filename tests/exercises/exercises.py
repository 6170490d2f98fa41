#!/usr/bin/env python3
"""Every exercise as a student meets it: what is started fails, the solution of this folder passes.

exercises.py PROGRAM
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
program = str(pathlib.Path(sys.argv[1]).resolve())


def run(*words, cwd):
    return subprocess.run([program, "exercise", *words], capture_output=True, text=True, cwd=cwd, timeout=300)


def graded(folder, cwd, *more):
    done = run("check", folder, "--format", "json", *more, cwd=cwd)
    return done.returncode, json.loads(done.stdout)


def expect(condition, what):
    if not condition:
        raise SystemExit(f"FAILED: {what}")


with tempfile.TemporaryDirectory() as work:
    listed = json.loads(run("list", "--format", "json", cwd=work).stdout)
    names = [e["exercise"] for e in listed]
    data = sorted(p.stem for p in (HERE / "../../src/cli/exercise/data").glob("*.json"))
    expect(sorted(names) == data and len(names) >= 8, f"the list has {names}, the folder {data}")
    expect([e["level"] for e in listed] == list(range(1, len(names) + 1)), "the levels are a path")
    for name in names:
        expect(run("start", name, cwd=work).returncode == 0, f"{name} starts")
        expect(run("start", name, cwd=work).returncode == 2, f"{name} is not overwritten")
        code, grade = graded(name, work)
        expect(code == 1 and not grade["passed"] and grade["points"] < grade["of"], f"{name}: the skeleton passes: {grade}")
        # All that a student starts with compiles and runs: a skeleton fails at its goals.
        expect(not any("did not run" in goal["figures"] for goal in grade["goals"]), f"{name}: {grade}")
        shutil.copy(HERE / f"{name}.cu", pathlib.Path(work, name, "kernel.cu"))
        code, grade = graded(name, work)
        expect(code == 0 and grade["passed"] and grade["points"] == grade["of"], f"{name}: the solution fails: {grade}")
        print(f"{name}: {grade['of']} points")
    # A student who changes the goals is graded by the teacher's.
    first = pathlib.Path(work, "race")
    started = (HERE / "../../src/cli/exercise/data/race.cu").read_text()
    (first / "kernel.cu").write_text(started)
    changed = json.loads((first / "exercise.json").read_text())
    changed["goals"] = [{"goal": "anything", "that": "n > 0"}]
    (first / "exercise.json").write_text(json.dumps(changed))
    expect(graded("race", work)[0] == 0, "changed goals are other goals")
    expect(graded("race", work, "--as", "race")[0] == 1, "--as grades by the built-in ones")
    # What does not compile is a grade as well; a broken exercise is not.
    (first / "kernel.cu").write_text("this is no kernel\n")
    code, grade = graded("race", work, "--as", "race")
    expect(code == 1 and grade["points"] == 0 and grade["trouble"], f"no compile: {grade}")
    done = run("check", "race", "--as", "race", "--format", "junit", cwd=work)
    expect(done.returncode == 1 and 'failures="2"' in done.stdout, done.stdout)
    changed["goals"] = [{"goal": "neither"}, {"goal": "x", "checks": "no such"}]
    (first / "exercise.json").write_text(json.dumps(changed))
    done = run("check", "race", cwd=work)
    expect(done.returncode == 2 and "a goal is either" in done.stderr and "no such" in done.stderr, done.stderr)
    expect(run("start", "rase", cwd=work).returncode == 2, "an unknown name")
    by_number = run("start", "4", "fourth", cwd=work)  # the transpose is the fourth of the list
    expect("exercise check fourth" in by_number.stdout and "transpose" in pathlib.Path(work, "fourth/kernel.cu").read_text(),
           "a number")
    expect(run("start", "0", cwd=work).returncode == 2, "a number that is not in the list")
    # A teacher's own, in a folder of its own.
    own = pathlib.Path(work, "own")
    own.mkdir()
    (own / "kernel.cu").write_text('extern "C" __global__ void fill(int* out) { out[threadIdx.x] = 7; }\n')
    (own / "reference.cu").write_text('extern "C" __global__ void seven(int* out) { out[threadIdx.x] = 7; }\n')
    (own / "exercise.json").write_text(json.dumps({
        "exercise": "fill", "title": "Sevens", "goals": [{"goal": "right", "that": "verified == 1", "points": 4}],
        "study": {"kernels": [{"kernel": "kernel.cu", "name": "yours"}, {"kernel": "reference.cu", "name": "reference"}],
                  "grid": 1, "block": 32, "args": ["out=out:s32[32]"], "verify": {"out": "kernel:reference"}}}))
    code, grade = graded("own", work)
    expect(code == 0 and grade["points"] == 4, f"a teacher's own: {grade}")
print(f"{len(names)} exercises passed, 0 failed")
