# bench_ptx FOLDER: the PTX of bench/kernels. Sourced with bash, after scripts/lib.sh.
bench_ptx() {
  local source output
  for source in "$root"/bench/kernels/*.cu; do
    output=$1/$(basename "$source" .cu).ptx
    if has_nvcc; then
      PATH=$PATH:/usr/local/cuda/bin nvcc -ptx -arch=compute_75 -o "$output" "$source"
    else
      "$(find_clang)" -x cuda --cuda-device-only -nocudainc -nocudalib -fdeclspec -O3 -std=c++17 --cuda-gpu-arch=sm_75 -S \
        -include "$root/src/kernels/cuda_min.h" -include "$root/bench/kernels/clang_math.h" -o "$output" "$source"
    fi
  done
}
