#!/usr/bin/env python3
"""`warpwright check` on faulty.cu: every mistake is found at the line whose comment says so, and nothing else; the
launch goes on behind it; findings survive crashes; JSON, SARIF and exit codes."""
import json, pathlib, re, shutil, subprocess, sys, tempfile

program, faulty, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
expected = {}
for number, line in enumerate(source.read_text().splitlines(), 1):
    for modes, kind in re.findall(r"finds ([\w, ]+): ([^;]+)(?:;|$)", line):
        for mode in modes.split(", "):
            expected[mode] = (kind.strip(), number)
# Mistakes of the host have no line of a kernel.
host = {"double_free": "double free", "invalid_free": "invalid free", "copy_too_long": "bad copy",
        "copy_backwards": "bad copy", "copy_freed": "bad copy"}
failed = 0


def judge(name, good, text):
    global failed
    if not good:
        failed += 1
        print(f"{name}: FAILED\n{text}\n")


def check(*words):
    return subprocess.run([program, "check", *words], capture_output=True, text=True, timeout=120)


def findings(mode, *options):
    """Of errors; standard output begins with the program's own line, if it came to it."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "found.json"
        run = check("--format", "json", "--out", str(out), *options, faulty, mode)
        found = json.loads(out.read_text())["findings"]
    return run, [f for f in found if f["severity"] == "error"]


for mode, (kind, line) in expected.items():
    run, found = findings(mode)
    judge(mode, len(found) == 1 and found[0]["kind"] == kind, found)
    if len(found) != 1:
        continue
    f = found[0]
    party = f["parties"][0]
    judge(mode + " line", party["line"] in (line, 0) or not party["file"].endswith("faulty.cu"), party)
    if party["file"].endswith("faulty.cu"):
        judge(mode + " line", party["line"] == line, party)
    judge(mode + " launched", f["launched"] and "main" in f["launched"][0], f)
    judge(mode + " exit code", run.returncode == 1, run)
    if mode not in ("crash", "leave", "trap"):
        judge(mode + " goes on", run.stdout == "no error\n", run)  # the launch went on, so the device is well

_, found = findings("off_by_one")
judge("one lane too many", found[0]["count"] == 1 and found[0]["parties"][0]["thread"] == [104, 0, 0]
      and found[0]["parties"][0]["block"] == [7, 0, 0], found)  # 1000 = 7 * 128 + 104
judge("allocated", found[0]["allocated"] and "main" in found[0]["allocated"][0], found)
_, found = findings("in_header")
judge("every lane", found[0]["count"] == 32, found)
_, found = findings("freed")
judge("freed", found[0]["freed"] and "main" in found[0]["freed"][0], found)
_, found = findings("shared")
judge("array", any("row" in text for text in [found[0]["message"], *found[0]["more"]]), found)
_, found = findings("host_pointer")
judge("host pointer", "host" in found[0]["message"] and not found[0].get("allocated"), found)

for mode, kind in host.items():
    run, found = findings(mode)
    judge(mode, [f["kind"] for f in found] == [kind] and run.returncode == 1, found)
    judge(mode + " called", found and "main" in found[0]["launched"][0], found)

_, found = findings("small_free")
judge("small free", found[0]["kind"] == "invalid free" and found[0]["more"] == ["0x8 is 8 bytes behind a null pointer"], found)

_, found = findings("refused")  # named as the program has it, not as what nvcc makes of it
judge("refused", len(found) == 1 and found[0]["message"].startswith("a launch by <<<>>> returned "), found)

run = check(faulty, "exchanged")
judge("exchanged", run.stderr.count("hint: empty set") == 2 and "the value 2000 and" in run.stderr and run.returncode == 0, run)
run = check(faulty, "empty_sets")
judge("empty sets", "nothing wrong was found" in run.stderr, run)

run = check(faulty, "bad_event")  # of ours that hands the call on to cudaEventRecordWithFlags
judge("event", "cudaEventRecord returned cudaErrorInvalidResourceHandle" in run.stderr, run)

for mode in "clean", "leak":
    run, found = findings(mode)
    judge(mode, not found and run.returncode == 0 and run.stdout == "no error\n", (run, found))
run, found = findings("leak", "--leak-check")
judge("leak", [f["kind"] for f in found] == ["leak", "leak"] and run.returncode == 1, found)
run, found = findings("clean", "--leak-check")
judge("no leak", not found and run.returncode == 0, found)
run, found = findings("off_by_one", "--error-exitcode", "42")
judge("error exit code", run.returncode == 42, run)
run, found = findings("off_by_one", "--kernel", "read_at")
judge("kernel", not found and run.returncode == 0, found)
run = check(faulty, "clean")
judge("text, nothing", "nothing wrong was found" in run.stderr and run.stdout == "no error\n", run)
run = check("/bin/sh", "-c", "exit 127")
judge("not started", "nothing was checked" in run.stderr and "nothing wrong" not in run.stderr and run.returncode == 127, run)
run = check("--timeout", "1", "/bin/sh", "-c", "sleep 60")
judge("ended early", "nothing wrong was found until then" in run.stderr and run.returncode == 124, run)
run = check("--format", "sarif", faulty, "off_by_one")
sarif = json.loads(run.stdout.split("\n", 1)[1])
result = sarif["runs"][0]["results"][0]
judge("sarif", sarif["version"] == "2.1.0" and result["ruleId"] == "out-of-bounds-write" and result["level"] == "error", sarif)

# Built for this run, the program has debugging information for the host's lines; no compiler's stub stands between.
(launch,) = [n for n, text in enumerate(source.read_text().splitlines(), 1) if 'is("off_by_one")' in text]
for compiler in ["nvcc"] + ["clang"] * bool(shutil.which("clang-19") and shutil.which("addr2line")):
    run = check("--compiler", compiler, "--format", "json", str(source), "off_by_one")
    (found,) = json.loads(run.stdout.split("\n", 1)[1])["findings"]
    judge(f"host lines with {compiler}", found["launched"] == [f"main at {source}:{launch}"], found["launched"])
(read,) = [n for n, text in enumerate(source.read_text().splitlines(), 1) if text.endswith("// read here")]
run = check(str(source), "unset")
judge("where the host reads", f"  launched by main at {source}:{read - 1}\n  read by main at {source}:{read}\n" in run.stderr, run)
print(f"{failed} failed")
sys.exit(failed != 0)
