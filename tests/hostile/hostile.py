#!/usr/bin/env python3
"""The command line with hostile input: full disks, endless files, pipes where files belong, interruptions.

Every run must end within its time, with the exit code that is said and a line on stderr, and never by a signal.
`hostile.py PROGRAM [NAME…]` runs the tests, or those that are named.
"""
import os
import pathlib
import resource
import signal  # SIGTERM: who runs in the background has SIGINT ignored
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv[1]
KERNEL = """.version 7.0
.target sm_70
.address_size 64
.visible .entry touch(.param .u64 p) {
  .reg .b64 %d<2>;
  .reg .b32 %r;
  ld.param.u64 %d0, [p];
  cvta.to.global.u64 %d0, %d0;
  mov.u32 %r, 7;
  st.global.u32 [%d0], %r;
  ret;
}
"""
ENDLESS = KERNEL.replace("  ret;", "again:\n  add.u32 %r, %r, 1;\n  bra again;")
SMALL = ["study", "aat", "--device", "engine", "--n", "32"]


def memory_limit():
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def run(*words, code, says="", seconds=60, limited=True, **more):
    """The command's stderr after its exit code and what it says were checked."""
    more.setdefault("stdout", subprocess.PIPE)
    done = subprocess.run([PROGRAM, *map(str, words)], stderr=subprocess.PIPE, timeout=seconds,
                          preexec_fn=memory_limit if limited else None, **more)
    errors = done.stderr.decode(errors="replace")
    assert done.returncode == code, f"{words}: exit code {done.returncode}, not {code}\n{errors[:2000]}"
    assert says in errors, f"{words}: no '{says}' in\n{errors[:2000]}"
    assert len(errors) < 100000, f"{words}: {len(errors)} bytes on stderr"
    return errors


def test_full_disk(folder):
    (folder / "k.ptx").write_text(KERNEL)
    for words in (["kernels"], ["study"], ["ptx", folder / "k.ptx"], ["gpus"], ["gpus", "h200"], ["--help"],
                  [*SMALL, "--quick", "--no-cache", "--format", "csv"]):
        with open("/dev/full", "w") as full:
            errors = run(*words, code=2, says="No space left on device", stdout=full)
            assert errors.count("\n") == 1, errors
    run(*SMALL, "--no-cache", "--quick", "--format", "csv", "--out", "/dev/full", code=2, says="No space left on device")


def test_closed_streams(folder):
    (folder / "k.ptx").write_text(KERNEL)
    command = f"{PROGRAM} launch {folder}/k.ptx --grid 1 --block 1 --arg out:u32[1]:{folder}/o.npy >&- 2>/dev/null"
    assert subprocess.run(["bash", "-c", command]).returncode == 2
    data = (folder / "o.npy").read_bytes()
    assert data.startswith(b"\x93NUMPY") and len(data) == 132, data  # and nothing that was printed


def test_endless_files(folder):
    (folder / "k.ptx").write_text(KERNEL)
    launch = ["launch", folder / "k.ptx", "--grid", "1", "--block", "1"]
    run(*launch, "--arg", "in:/dev/zero", code=2, says="does not start with")
    run("launch", "/dev/zero", "--grid", "1", "--block", "1", code=2, says="larger than the limit")
    run("compare", "/dev/zero", "/dev/zero", code=2, says="larger than the limit")
    run("ptx", "/dev/zero", code=2, says="larger than the limit")
    run("study", "/dev/zero", code=2, says="larger than the limit")
    run("gpus", "/dev/zero", code=2, says="")
    run("verify-published", "--table", "/dev/zero", code=2, says="larger than the limit")
    run(*SMALL, "--quick", "--no-cache", "--input", "/dev/zero", code=2, says="larger than the limit")


def npy(shape, data=b""):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape},), }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


def test_sparse_arrays(folder):
    (folder / "k.ptx").write_text(KERNEL)
    launch = ["launch", folder / "k.ptx", "--grid", "1", "--block", "1"]
    for name, shape, size, says in (("more", 64, 8 << 30, "needs 256 bytes of data"),
                                    ("less", 1 << 31, 200, "needs 8589934592 bytes of data"),
                                    ("huge", 1 << 40, (1 << 42) + 128, "")):
        (folder / name).write_bytes(npy(shape))
        with open(folder / name, "r+b") as file:
            try:
                file.truncate(size)
            except OSError:
                continue
        begin = time.time()
        run(*launch, "--arg", f"in:{folder / name}", code=2, says=says)
        assert time.time() - begin < 10
    read, write = os.pipe()
    os.write(write, npy(2, b"\0" * 8))
    os.close(write)
    run(*launch, "--arg", f"in:/dev/fd/{read}", code=0, pass_fds=[read])


def test_pipe_in_the_cache(folder):
    cache = folder / "cache"
    words = [*SMALL, "--kernel", "padded", "--block", "16", "--cache", cache]
    run(*words, code=0)
    rows = [path for path in cache.rglob("*") if path.is_file()]
    assert len(rows) == 1
    rows[0].unlink()
    os.mkfifo(rows[0])
    run(*words, code=0, says="1 damaged row", seconds=20)
    run(*words, code=0, says="1 of 1 runs were in the cache", seconds=20)
    assert rows[0].is_file()


def test_interrupted_study(folder):
    out = folder / "whole.json"
    for out, marked in ((folder / "a.json", "the study was stopped"), (folder / "b.csv", "the study was stopped"),
                        (folder / "c/", "the study was stopped")):
        kept = out / "index.html" if out.name == "c" else out
        kept.parent.mkdir(exist_ok=True)
        kept.write_text("complete")
        name = f"{out}/" if out.name == "c" else str(out)
        child = subprocess.Popen([PROGRAM, "study", "aat", "--device", "engine", "--no-cache", "--n", ",".join(map(str, [32, *range(512, 1024, 32)])), "--out", name],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(3)
        child.send_signal(signal.SIGTERM)
        errors = child.communicate(timeout=60)[1].decode()
        assert child.returncode == 143, errors
        assert "stopped: " in errors and ".partial" in errors, errors
        assert kept.read_text() == "complete"
        partial = folder / "c.partial/results.json" if out.name == "c" else pathlib.Path(f"{out}.partial")
        assert marked in partial.read_text(), partial


def test_interrupted_launch(folder):
    (folder / "k.ptx").write_text(ENDLESS)
    child = subprocess.Popen([PROGRAM, "launch", folder / "k.ptx", "--grid", "2", "--block", "64", "--arg", "random:u32[1]"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.5)
    child.send_signal(signal.SIGTERM)
    errors = child.communicate(timeout=20)[1].decode()
    assert child.returncode == 143, errors
    assert "interrupted: 0 of 2 blocks have ended" in errors and "warps" in errors, errors
    assert f"in the loop of {folder}/k.ptx:" in errors and "only its own counting can end it" in errors, errors


def test_endless_kernel(folder):
    (folder / "k.ptx").write_text(ENDLESS)
    begin = time.time()
    run("launch", folder / "k.ptx", "--grid", "1", "--block", "32", "--arg", "random:u32[1]", "--timeout", "0.5", code=1,
        says="no block has ended for 0.5 s")
    assert time.time() - begin < 10


def test_many_labels(folder):
    def labels(count, backward):
        target = (lambda k: "l0") if backward else (lambda k: f"l{min(k + 2, count - 1)}")
        return ("l0:\n" if backward else "") + "".join(
            f"{'' if backward and k == 0 else f'l{k}:'}\n  setp.eq.u32 %p, %r, {k + 100};\n  @%p bra {target(k)};\n" for k in range(count))
    head = KERNEL.replace("  .reg .b32 %r;", "  .reg .b32 %r;\n  .reg .pred %p;")
    for backward in False, True:
        (folder / "k.ptx").write_text(head.replace("  ret;", labels(40000, backward) + "  ret;"))
        begin = time.time()
        run("launch", folder / "k.ptx", "--grid", "1", "--block", "32", "--arg", "random:u32[1]", "--registers", 8, code=0,
            seconds=100)  # who says the registers does not wait for ptxas, which takes minutes
        assert time.time() - begin < 30, time.time() - begin


def test_calls_upon_calls(folder):
    functions = ".func f0() { ret; }\n" + "".join(f".func f{k}() {{ call f{k-1}; call f{k-1}; ret; }}\n" for k in range(1, 40))
    text = KERNEL.replace(".visible", functions + ".visible").replace(
        "  ret;\n}\n", "  setp.eq.u32 %p, %r, 9;\n  @%p call f39;\n  ret;\n}\n").replace("  .reg .b32 %r;", "  .reg .b32 %r;\n  .reg .pred %p;")
    (folder / "k.ptx").write_text(text)
    run("launch", folder / "k.ptx", "--grid", "1", "--block", "32", "--arg", "random:u32[1]", code=0, seconds=20)


def test_long_lines_and_names(folder):
    (folder / "k.ptx").write_text(KERNEL.replace("touch", "t" * 10_000_000))
    run("launch", folder / "k.ptx", "--kernel", "x", "--grid", "1", "--block", "1", code=2, says="has no kernel 'x'")
    run("launch", folder / "k.ptx", "--grid", "1", "--block", "1", code=2, says="takes 1 argument, but 0 are given")
    done = subprocess.run([PROGRAM, "launch", folder / "k.ptx", "--grid", "1", "--block", "1", "--arg", "out:u32[1]:/dev/null"],
                          capture_output=True, timeout=60)
    assert done.returncode == 0 and len(done.stdout) < 20000, (done.returncode, len(done.stdout))
    (folder / "l.ptx").write_bytes(b"x" * 100_000_000)
    errors = run("ptx", folder / "l.ptx", code=2)
    assert len(errors) < 10000
    (folder / "l.ptx").write_text(KERNEL.replace("  ret;", "  add.u32 %r, %r, 1;" * 1_000_000 + "  ret;"))
    run("ptx", "--quiet", folder / "l.ptx", code=0)


def test_byte_order_mark(folder):
    (folder / "k.ptx").write_bytes(b"\xef\xbb\xbf" + KERNEL.encode())
    run("ptx", "--quiet", folder / "k.ptx", code=0)
    (folder / "k.ptx").write_bytes(KERNEL.encode("utf-16"))
    run("ptx", "--quiet", folder / "k.ptx", code=2)


def test_folders_and_rights(folder):
    run("study", folder, code=2)
    run("ptx", folder, code=2, says="Is a directory")
    run("launch", folder, "--grid", "1", "--block", "1", code=2, says="Is a directory")
    run("report", folder, "--out", f"{folder}/r/", code=2, says="Is a directory")
    file = folder / "file"
    file.write_text("x")
    run(*SMALL, "--quick", "--no-cache", "--out", f"{file}/", code=2, says="cannot make the folder")
    run(*SMALL, "--quick", "--kernel", "padded", "--cache", f"{file}/cache", "--format", "csv", code=0, says="results are not cached")


def test_narrow_terminals(folder):
    for columns in "1", "5", "20":
        for words in (["kernels"], ["study"], ["--help"], [*SMALL, "--quick", "--no-cache"]):
            done = subprocess.run(["script", "-qec", f"stty cols {columns}; {PROGRAM} {' '.join(words)}", "/dev/null"],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
            assert done.returncode == 0, (columns, words, done.stdout[-500:])


def main():
    tests = {name[5:]: function for name, function in globals().items() if name.startswith("test_")}
    failed = 0
    for name in sys.argv[2:] or tests:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CACHE_HOME"] = folder
            begin = time.time()
            try:
                tests[name](pathlib.Path(folder))
                print(f"ok {name} ({time.time() - begin:.1f} s)", flush=True)
            except (AssertionError, subprocess.TimeoutExpired) as trouble:
                failed += 1
                print(f"FAILED {name}: {trouble}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
