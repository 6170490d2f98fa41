#!/usr/bin/env python3
"""Programs of one file under `warpwright run --compiler clang` or `nvcc`: they must print their lines "// expect:". With
clang also what the command line says of files that do not compile, and of `check` and `profile`."""
import pathlib, subprocess, sys, tempfile

program, compiler = sys.argv[1], sys.argv[2]
here = pathlib.Path(__file__).resolve().parent
failed = passed = 0


def judge(name, good, text=""):
    global failed, passed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"{name}: FAILED\n{text}")


def run(*words, command="run"):
    return subprocess.run([program, command, "--compiler", compiler, *words], capture_output=True, text=True, timeout=120)


for source in sorted(here.glob("*.cu")):
    lines = source.read_text().splitlines(True)
    expected = "".join(l[len("// expect: "):] for l in lines if l.startswith("// expect: "))
    if compiler == "nvcc" and source.stem == "mathematics":
        continue  # CUDA's own functions are not what it is about
    got = run(str(source), "its", "arguments")
    judge(source.name, got.returncode == 0 and got.stdout == expected, f"exit code {got.returncode}\n{got.stdout}{got.stderr}")

# Device code of two files; by hand: i * i + 10 (i + 1) + 7 + 1, and 40 30 20 10 and 2 each.
linked = here / "linked"
got = run("--flags", f"-rdc=true {linked / 'other.cu'}", str(linked / "main.cu"))
judge("linked device code", got.stdout == "18 29 42 57 42 32 22 12 calls 108, no error\n", got)
file = linked / "main.cu"
got = run(str(file))
judge("without the other file", got.returncode == 2 and "launch_other" in got.stderr, got)

with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "own.cu"
    file.write_text('''#include <cstdio>
#include "two.h"
int main(int count, char** words) { printf("%d %s %d\\n", count, words[1], TWO + half_of(6)); return 3; }
''')
    (pathlib.Path(folder) / "two.h").write_text("#define TWO 2\nint half_of(int);\n")
    (pathlib.Path(folder) / "other.cpp").write_text("int half_of(int x) { return x / 2; }\n")
    got = run("--flags", f"-I {folder} -O1 -Xcompiler -Wall -arch=sm_80 {folder}/other.cpp", str(file), "word")
    judge("flags and arguments", got.returncode == 3 and got.stdout == "2 word 5\n", got)

    # What nvcc takes, too: registers of PTX with one %, time() without a header of its own.
    file.write_text('''#include "two.h"
#include <cstdio>
__global__ void k(unsigned* lanes) { asm("mov.u32 %0, %laneid;" : "=r"(lanes[threadIdx.x])); cudaGridDependencySynchronize(); }
int main() {
  unsigned* lanes;
  cudaMallocManaged(&lanes, 64 * sizeof *lanes);
  k<<<1, 64>>>(lanes);
  cudaDeviceSynchronize();
  printf("%u %u %d %d\\n", lanes[31], lanes[32], time(nullptr) > 0, __LINE__);
}
''')
    got = run(str(file))
    judge("one percent", got.stdout == "31 0 1 9\n", got)

    file.write_text("__global__ void k() { not_there(); }\nint main() {}\n")
    got = run(str(file))
    judge("does not compile", got.returncode == 2 and "not_there" in got.stderr and "own.cu" in got.stderr, got)

    file.write_text('''__global__ void k(int* p) { p[threadIdx.x] = 1; }
int main() { int* p; cudaMalloc(&p, 31 * 4); k<<<1, 32>>>(p); return cudaDeviceSynchronize(); }
''')
    got = run(str(file), command="check")
    judge("check finds the line", got.returncode == 1 and "own.cu:1" in got.stderr, got)
    file.write_text(file.read_text().replace("31", "32"))
    got = run("--format", "csv", str(file), command="profile")
    judge("profile counts", got.returncode == 0 and "global_store_sectors" in got.stdout, got)

    if compiler == "clang":
        file.write_text("int main() {}\n")
        got = run("--flags", "-dlto", str(file))
        judge("a flag without a counterpart", got.returncode == 2 and "-dlto takes nvcc" in got.stderr, got)
        file.write_text("__global__ void a() {}\n__global__ void b() { a<<<1, 1>>>(); }\nint main() {}\n")
        got = run(str(file))
        judge("kernels that launch kernels", got.returncode == 2 and "own.cu:2" in got.stderr and "nvcc" in got.stderr, got)
        file.write_text("#include <curand_kernel.h>\nint main() {}\n")
        got = run(str(file))
        judge("headers of libraries", got.returncode == 2 and "come with the CUDA toolkit" in got.stderr, got)

print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
