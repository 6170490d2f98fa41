#!/usr/bin/env python3
"""Ctrl-C in the middle of a kernel: what is known by then is told, the exit code says so, nothing is left running."""
import os, signal, subprocess, sys, time

program, waits = sys.argv[1], sys.argv[2]
failed = 0


def start(*words):
    p = subprocess.Popen([program, *words, waits], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    first = ""
    while "waiting" not in first:
        line = p.stdout.readline()
        first += line
        if not line:
            break
    time.sleep(0.2)
    return p, first


def interrupted(*words):
    p, first = start(*words)
    os.killpg(p.pid, signal.SIGINT)
    try:
        rest = p.communicate(timeout=30)[0]
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        rest = "it does not end\n" + p.communicate()[0]
    try:
        os.killpg(p.pid, 0)
        rest += "something is left running\n"
    except ProcessLookupError:
        pass
    return p.returncode, first + rest


for words, codes, told in ((["run"], (-signal.SIGINT, 130), "out-of-bounds write"), (["check"], (1,), "1 error"),
                           (["run", "--fidelity"], (130,), "fidelity of this run")):
    code, text = interrupted(*words)
    if code not in codes or told not in text or "does not end" in text or "left running" in text:
        failed += 1
        print(f"{' '.join(words)}: FAILED, exit code {code}\n{text}")
# The program ends in the middle of its first kernel: its own exit code, and what is known of the kernel.
for words, told in (["run"], ""), (["profile"], "no launch ran to its end"), (["check"], ""):
    p = subprocess.run([program, *words, waits, "exit"], capture_output=True, text=True, timeout=60)
    if p.returncode != 5 or told not in p.stderr or "launched no kernel" in p.stderr:
        failed += 1
        print(f"{' '.join(words)} of what exits: FAILED, exit code {p.returncode}\n{p.stderr}")
# A launch that is given up for its time, though the program does not look at its error and ends well.
p = subprocess.run([program, "check", "--timeout", "3", waits, "counts"], capture_output=True, text=True, timeout=60)
if p.returncode != 124 or "time limit in kernel count" not in p.stderr:
    failed += 1
    print(f"check --timeout: FAILED, exit code {p.returncode}\n{p.stderr}")
# Nor does it end by itself without checks: where it stands is told before the program is ended.
p = subprocess.run([program, "run", "--timeout", "4", waits, "counts"], capture_output=True, text=True, timeout=60)
told = "none of its blocks has ended for", "of 1 block has ended", "in the loop "
if p.returncode != 124 or not all(t in p.stderr for t in told):
    failed += 1
    print(f"run --timeout: FAILED, exit code {p.returncode}\n{p.stderr}")
# Somebody kills warpwright alone: the program ends, too, and so its output does.
p, _ = start("check")
p.kill()
try:
    p.communicate(timeout=10)
except subprocess.TimeoutExpired:
    failed += 1
    print("the program goes on although warpwright was killed")
    os.killpg(p.pid, signal.SIGKILL)
sys.exit(failed != 0)
