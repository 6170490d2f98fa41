#!/usr/bin/env python3
"""Programs of the runtime and the driver, built by nvcc (g++ where they have no kernels) with its shared cudart and run on
ours: their output must be the lines "// expect:", which follow from CUDA's manual. Without nvcc nothing is run, and said
so (exit code 77)."""
import argparse, os, pathlib, re, shutil, subprocess, sys, tempfile

here = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser()
parser.add_argument("--libraries", required=True, help="the folder of libcudart.so.13")
parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
parser.add_argument("programs", nargs="*")
options = parser.parse_args()
if not os.access(options.nvcc, os.X_OK):
    print("no nvcc: not run")
    sys.exit(77)

# Where the toolkit's headers and libraries lie is nvcc's to say: nvcc may be a script that calls it in another folder.
says = subprocess.run([options.nvcc, "-dryrun", "-x", "cu", "/dev/null"], capture_output=True, text=True).stderr
headers, libraries = (re.findall(rf'"-{letter}(.+?)"', "".join(re.findall(rf"{name}=.*", says)))
                      for letter, name in (("I", r"\bINCLUDES"), ("L", r"\bLIBRARIES")))
has_headers = any(os.path.exists(f"{folder}/cuda_runtime.h") for folder in headers)
cxx = shutil.which("g++") if has_headers else None
environment = dict(os.environ, LD_LIBRARY_PATH=str(pathlib.Path(options.libraries).resolve()))
failed = passed = 0


def judge(name, good, text=""):
    global failed, passed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"{name}: FAILED\n{text}")


def toolkits(name):
    """The toolkit's library of this name, also one for the linker alone, or None."""
    found = (pathlib.Path(folder) / name for folder in libraries)
    return next((path for path in found if path.exists()), None)


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True).stdout
    return {l.split()[-1].split("@")[0] for l in lines.splitlines() if "cu" in l.split()[-1]}


# Every entry point that the installed runtime has, ours has too: implemented or refused by name.
theirs = toolkits("libcudart.so.13")
if theirs:
    wanted = {n for n in exported(theirs) if n.startswith(("cuda", "__cuda"))}
    missing = sorted(wanted - exported(pathlib.Path(options.libraries) / "libwarpwright_cuda.so"))
    judge("entry points", wanted and not missing, "missing: " + " ".join(missing))

# And of the driver, whose library for the linker names them all.
stub = toolkits("libcuda.so")
if stub:
    wanted = {n for n in exported(stub) if n.startswith("cu")}
    missing = sorted(wanted - exported(pathlib.Path(options.libraries) / "libwarpwright_cuda.so"))
    judge("entry points of the driver", wanted and not missing, "missing: " + " ".join(missing))

# The linker's library leaves out what works with OpenGL, EGL and VDPAU, which programs look up by name (FFmpeg: all or
# nothing). The headers have the names, and by macros the later versions of them.
wanted = set()
for header in (pathlib.Path(folder) / f"cuda{part}.h" for folder in headers for part in ("GL", "EGL", "VDPAU")):
    if header.exists():
        wanted |= set(re.findall(r"^\s*(?:__CUDA_DEPRECATED )?CUresult CUDAAPI (cu\w+)|^#define cu\w+ +(cu\w+_v2)$",
                                 header.read_text(), re.M))
wanted = {name for names in wanted for name in names if name} - {"cuWGLGetDevice"}  # Windows alone
if has_headers:
    missing = sorted(wanted - exported(pathlib.Path(options.libraries) / "libwarpwright_cuda.so"))
    judge("entry points for graphics", len(wanted) > 20 and not missing, "missing: " + " ".join(missing))

# And cuBLAS, but for what only its own pieces call.
theirs = toolkits("libcublas.so.13")
if theirs:
    wanted = {n for n in exported(theirs) if n.startswith("cublas")}
    missing = sorted(wanted - exported(pathlib.Path(options.libraries) / "libwarpwright_blas.so"))
    judge("cuBLAS's functions", wanted and not missing, "missing: " + " ".join(missing))

with tempfile.TemporaryDirectory() as folder:
    for source in sorted(here.glob("*.cu")):
        if options.programs and source.stem not in options.programs:
            continue
        program = f"{folder}/{source.stem}"
        text = source.read_text()
        flags = [w for l in text.splitlines() if l.startswith("// link: ") for w in l.split()[2:]]
        compiler = [options.nvcc, "-cudart", "shared", "-gencode", "arch=compute_90,code=compute_90"]
        # What has no kernels needs no nvcc: a third of the time.
        if cxx and not any(word in text for word in ("__global__", "__device__", "<<<")):
            compiler = [cxx, "-include", "cuda_runtime.h", *(f"-I{folder}" for folder in headers)]
            flags.append("-lcudart")
        build = subprocess.run([*compiler, "-std=c++20", "-I", str(here.parent.parent / "src"), "-o", program,
                                *([] if compiler[0] == options.nvcc else ["-x", "c++"]), str(source),
                                *(f"-L{folder}" for folder in libraries), "-lcuda", *flags], capture_output=True, text=True)
        if build.returncode:
            judge(source.name, False, build.stdout + build.stderr)
            continue
        devices = [l.split()[2] for l in text.splitlines() if l.startswith("// devices: ")]
        run = subprocess.run([program], capture_output=True, text=True, timeout=60,
                             env=dict(environment, WARPWRIGHT_DEVICES=devices[0] if devices else "1"))
        expected = "".join(l[len("// expect: "):] for l in text.splitlines(True) if l.startswith("// expect: "))
        judge(source.name, run.returncode == 0 and run.stdout == expected,
              f"exit code {run.returncode}\n--- wanted\n{expected}--- got\n{run.stdout}{run.stderr}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
