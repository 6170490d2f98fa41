# ww_cuda_ptx(SOURCE OUTPUT DEPENDS…): compiles a .cu file to PTX with nvcc or, without any CUDA toolkit, clang. The
# target is cc 7.5, or what a line of the source says: "// For GPUs from cc 8.0." ("9.0a": of cc 9.0 only, with
# what later GPUs no longer have).
#
# WW_CUDA_COMPILER (auto|nvcc|clang) chooses; WW_CUDA_COMPILER_NAME says afterwards what it was. Source lines (.loc)
# name files relative to the project's root, so that the PTX does not depend on where it was built.
find_program(WW_NVCC nvcc HINTS /usr/local/cuda/bin $ENV{CUDA_HOME}/bin)
set(WW_CLANG_NAMES clang++-19 clang++-20 clang++-18 clang++-17 clang++-16 clang++-15)
find_program(WW_CLANG_CUDA NAMES ${WW_CLANG_NAMES})

# The same flags compile the .cu files of users (`warpwright launch`); the target architecture comes to them.
set(WW_NVCC_FLAGS -ptx -lineinfo -std=c++17)
set(WW_CLANG_FLAGS -x cuda --cuda-device-only -nocudainc -nocudalib -fdeclspec -Wno-unknown-cuda-version -std=c++17 -O3
    -gline-tables-only -S)

if(NOT WW_CUDA_COMPILER MATCHES "^(auto|nvcc|clang)$")
  message(FATAL_ERROR "WW_CUDA_COMPILER is \"${WW_CUDA_COMPILER}\"; it must be auto, nvcc or clang")
endif()
set(chosen ${WW_CUDA_COMPILER})
if(chosen STREQUAL "auto")
  if(WW_NVCC)
    set(chosen nvcc)
  else()
    set(chosen clang)
  endif()
endif()
if(chosen STREQUAL "nvcc" AND NOT WW_NVCC)
  message(FATAL_ERROR "WW_CUDA_COMPILER is nvcc, but there is no nvcc: install a CUDA toolkit, or leave it \"auto\" and install clang-19")
elseif(chosen STREQUAL "clang" AND NOT WW_CLANG_CUDA)
  message(FATAL_ERROR "Nothing here compiles CUDA C++ to PTX: install the package clang-19 (apt-get install clang-19), or a CUDA toolkit with nvcc")
endif()

if(chosen STREQUAL "nvcc")
  set(WW_CUDA_COMMAND ${WW_NVCC} -arch=compute_@cc@ ${WW_NVCC_FLAGS})
  execute_process(COMMAND ${WW_NVCC} --version OUTPUT_VARIABLE version)
  string(REGEX MATCH "release [0-9.]+" version "${version}")
  string(REPLACE "release" "nvcc" WW_CUDA_COMPILER_NAME "${version}")
else()
  set(WW_CUDA_COMMAND ${WW_CLANG_CUDA} --cuda-gpu-arch=sm_@cc@ ${WW_CLANG_FLAGS} -include
                      ${CMAKE_SOURCE_DIR}/src/kernels/cuda_min.h)
  execute_process(COMMAND ${WW_CLANG_CUDA} -dumpversion OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(WW_CUDA_COMPILER_NAME "clang ${version}")
  # Older ones leave functions that newer ones and nvcc inline.
  if(version VERSION_LESS 17)
    list(APPEND WW_CLANG_FLAGS -mllvm -inline-threshold=5000)
    list(APPEND WW_CUDA_COMMAND -mllvm -inline-threshold=5000)
  endif()
endif()
# Older clangs do not know newer GPUs. What our kernels for those use stands in inline PTX, which clang does not look
# into: they are compiled for cc 8.0, and the PTX then gets the target that it is for.
function(ww_known_target cc out)
  set(known TRUE)
  if(WW_CUDA_COMPILER_NAME MATCHES "^clang")
    file(WRITE ${CMAKE_BINARY_DIR}/empty.cu "")
    execute_process(COMMAND ${WW_CLANG_CUDA} --cuda-gpu-arch=sm_${cc} ${WW_CLANG_FLAGS} -o ${CMAKE_BINARY_DIR}/empty.ptx
                            ${CMAKE_BINARY_DIR}/empty.cu RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed)
      set(known FALSE)
    endif()
  endif()
  set(${out} ${known} PARENT_SCOPE)
endfunction()
foreach(cc IN ITEMS 90 90a)
  ww_known_target(${cc} WW_CUDA_KNOWS_${cc})
endforeach()
message(STATUS "CUDA C++ is compiled to PTX by ${WW_CUDA_COMPILER_NAME}")

function(ww_cuda_ptx source output)
  get_filename_component(folder ${output} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  set(cc 75)
  file(STRINGS ${source} target REGEX "^// For GPUs from cc [0-9]+\\.[0-9]a?\\.$")
  if(target MATCHES "([0-9]+)\\.([0-9]a?)\\.$")
    set(cc ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
  endif()
  set(compiled_for ${cc})
  set(target "")
  if(DEFINED WW_CUDA_KNOWS_${cc} AND NOT WW_CUDA_KNOWS_${cc})
    set(compiled_for 80)
    set(target -DVERSION=8.0 -DTARGET=sm_${cc})
  endif()
  string(REPLACE "@cc@" ${compiled_for} command "${WW_CUDA_COMMAND}")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${command} -I${CMAKE_SOURCE_DIR}/src -o ${output}.raw ${source}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${output}.raw -DOUTPUT=${output} -DROOT=${CMAKE_SOURCE_DIR}
            ${target} -P ${CMAKE_SOURCE_DIR}/cmake/relative_files.cmake
    DEPENDS ${source} ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/relative_files.cmake
    COMMENT "Compiling ${source} to PTX"
    VERBATIM)
endfunction()
