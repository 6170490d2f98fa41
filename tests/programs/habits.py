#!/usr/bin/env python3
"""What people do with programs besides running them: options in front, pipes that close early, full disks, limits on
the size of files, programs that crash. The program's own output stays whole, and what was not done is said."""
import pathlib, resource, shutil, subprocess, sys, tempfile

program, saxpy, faulty = sys.argv[1:4]
said = "1 4 2998 no error\n"  # saxpy's
failed = 0


def run(*words, **more):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=120, **more)


def judge(name, good, what):
    global failed
    if not good:
        failed += 1
        print(f"{name}: FAILED\n{what}\n")


p = run("profile", "--metrics", "grid", saxpy)  # the next word is the program, not another metric
judge("metrics in front", p.returncode == 0 and p.stdout.startswith(said) and "grid" in p.stdout, p)
p = run("profile", "--gpu", "h200,a100,gtx1080", "--format", "ncu-csv", saxpy)
rows = [line.split('","') for line in p.stdout.splitlines()[2:]]
judge("three GPUs as Nsight Compute prints them", p.returncode == 0 and {r[10] for r in rows} == {"9.0", "8.0", "6.1"}, p)
p = run("study", "--n", "64", "no-such-study")
judge("sizes in front", p.returncode == 2 and "no-such-study" in p.stderr and "convert" not in p.stderr, p)

small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # `ulimit -f`
p = run("profile", saxpy, preexec_fn=small)
judge("small files", p.returncode == 2 and p.stdout == said and "no launch was completely written" in p.stderr, p)
p = run("check", saxpy, preexec_fn=small)
judge("small files, nothing to say", p.returncode == 0 and p.stdout == said, p)
nothing = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # as where the disk is full from the start
p = run("profile", saxpy, preexec_fn=nothing)
judge("no room for launches", p.returncode == 2 and p.stdout == said and "launches are lacking" in p.stderr and "no kernel" not in p.stderr, p)
p = run("check", faulty, "off_by_one", preexec_fn=nothing)
judge("no room for findings", p.returncode == 2 and "findings are lacking" in p.stderr and "nothing wrong" not in p.stderr, p)
for words in (["profile", "--format", "csv"], ["check", "--format", "sarif"]):
    p = run(*words, "--out", "/dev/full", saxpy)
    judge(" ".join(words) + " to a full disk", p.returncode == 2 and p.stdout == said and "No space left" in p.stderr, p)
    p = run(*words, "--out", "/no/such/folder/file", saxpy)
    judge(" ".join(words) + " to nowhere", p.returncode == 2 and "No such file" in p.stderr and not p.stdout, p)  # before the program starts

hidden = ["unshare", "-m", "sh", "-c", 'mount --make-rprivate / && mount -t tmpfs none /proc && exec "$@"', "sh"]
if shutil.which("unshare") and subprocess.run([*hidden, "true"], capture_output=True).returncode == 0:  # it may be forbidden
    p = subprocess.run([*hidden, program, "run", saxpy], capture_output=True, text=True, timeout=60)
    judge("without /proc", p.returncode == 2 and "there is no /proc here" in p.stderr, p)

p = run("profile", saxpy, "--gpu", "t4")  # the program's word, as its place says
judge("options behind the program", p.returncode == 0 and "--gpu stands behind" in p.stderr and "h200" in p.stdout, p)
# What a GPU lets pass beside an array, profile lets pass as run does.
p, q = run("run", faulty, "off_by_one"), run("profile", faulty, "off_by_one")
judge("beside an array", p.returncode == q.returncode == 0 and p.stdout in q.stdout and "a GPU lets this pass" in q.stderr
      and "in kernel fill\n" in p.stderr + q.stderr and "in kernel _Z" not in p.stderr + q.stderr, (p, q))
p = run("profile", faulty, "null")
judge("a launch that faults", "null pointer" in p.stderr and "did not run to its end: not counted" in p.stdout, p)
p = run("run", faulty, "constants")
judge("behind constants", p.returncode == 0 and "no read of constant memory faults" in p.stderr, p)
p = run("run", "sh", "-c", f"{saxpy} --gpu", "--timeout")
judge("words of scripts", (p.returncode, p.stdout, p.stderr) == (0, said, ""), p)
with tempfile.TemporaryDirectory() as folder:
    p = run("check", "--out", folder + "/found.sarif", faulty, "off_by_one")
    written = pathlib.Path(folder, "found.sarif").read_text()
    judge("the file's name tells the format", p.returncode == 1 and '"version":"2.1.0"' in written, p)
    # What was recorded before a change and after it, each of two equal launches for itself.
    for name in "before", "after":
        run("profile", "--out", f"{folder}/{name}/", "sh", "-c", f"{saxpy}; {saxpy}")
    p = run("compare", f"{folder}/before", f"{folder}/after/results.csv")
    judge("two profiles compared", p.returncode == 0 and "2 rows" in p.stdout and "0 worse" in p.stdout, p)

for words in (["run", saxpy], ["profile", saxpy], ["check", "--format", "json", faulty, "off_by_one"]):
    p = subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    p.stdout.close()  # as `| head -0` does
    judge(" ".join(words[:1]) + " into a closed pipe", "bug" not in p.stderr.read() and p.wait(60) is not None, p)

with tempfile.TemporaryDirectory() as folder:
    script = pathlib.Path(folder) / "crash.sh"
    script.write_text(f"{saxpy}; kill -SEGV $$\n")
    for command in "profile", "check":
        p = run(command, "sh", str(script))
        judge(command + " of what crashes", p.returncode == 139 and p.stdout.startswith(said) and "Segmentation fault" in p.stderr, p)
    # Moved to folders whose names the loader's variables do not take as they are.
    for name, good in ("two words", (0, said)), ("a:colon", (2, "")):
        there = pathlib.Path(folder) / name
        there.mkdir()
        shutil.copy(program, there / "warpwright")
        (there / "lib-cuda").symlink_to(pathlib.Path(program).resolve().parent / "lib-cuda")
        p = subprocess.run([there / "warpwright", "run", saxpy], capture_output=True, text=True, timeout=60)
        judge(name, (p.returncode, p.stdout) == good and ("colon" in p.stderr if p.returncode else not p.stderr), p)
    p = run("profile", "--timeout", "1", "sh", "-c", f"{saxpy}; sleep 60")
    judge("profile of what hangs", p.returncode == 124 and "took longer than 1 s" in p.stderr and "grid" in p.stdout, p)
sys.exit(failed != 0)
