# The second back end is a library of its own, opened when a kernel is worth compiling: it needs LLVM's library, and clang of the
# same version makes bitcode of the lane code. Where they are missing, the interpreter runs everything.
option(WW_COMPILER "Build the compiler of kernels where LLVM 19 and clang-19 are found" ON)
if(NOT WW_COMPILER OR WW_SANITIZE OR WW_FUZZ OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|aarch64|arm64")
  return()
endif()
find_package(LLVM 19.1 QUIET CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
find_program(WW_BITCODE_CLANG clang++-19)
if(NOT LLVM_FOUND OR NOT WW_BITCODE_CLANG)
  message(STATUS "No LLVM 19 with clang++-19: kernels are interpreted, not compiled")
  return()
endif()

# In the order of LaneCode::tables (lanes/target.cpp).
set(tables integer extended floating half comparison logic conversion access steps)
set(rows "")
set(bitcode "")
set(flags "")
if(CMAKE_CROSSCOMPILING)
  set(flags --target=${CMAKE_CXX_COMPILER_TARGET} --sysroot=${CMAKE_SYSROOT})
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(APPEND flags -mno-outline-atomics)  # no calls of the compiler's own library
endif()
foreach(target IN LISTS targets)
  if(target STREQUAL plain)
    continue()
  endif()
  set(number 0)
  foreach(table IN LISTS tables)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}_${table}.bc)
    # Loops over lanes stay loops until they are vectors.
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${WW_BITCODE_CLANG} -std=c++20 -O3 ${flags} ${flags_${target}} -fno-strict-aliasing -ffp-contract=off -fno-math-errno
              -fno-trapping-math -Wno-pass-failed -mllvm -unroll-full-max-count=15 -DWW_BITCODE -DWW_TARGET=${target}
              -I${CMAKE_SOURCE_DIR}/src -emit-llvm -c ${CMAKE_CURRENT_SOURCE_DIR}/lanes/${table}.cpp -o ${output} -MD -MF ${output}.d
      DEPENDS lanes/${table}.cpp
      DEPFILE ${output}.d
      VERBATIM)
    list(APPEND bitcode ${output})
    string(APPEND rows "WW_BITCODE_ROW(\"${target}\", ${number}, ${target}_${table}, \"${output}\")\n")
    math(EXPR number "${number} + 1")
  endforeach()
endforeach()
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/bitcode_rows.inc CONTENT "${rows}")
# By itself: what a joined file depends on, CMake does not know.
set_source_files_properties(compile/llvm/bitcode.cpp PROPERTIES OBJECT_DEPENDS "${bitcode}" SKIP_UNITY_BUILD_INCLUSION ON)

file(GLOB compiler_sources CONFIGURE_DEPENDS compile/llvm/*.cpp)
add_library(warpwright_compile MODULE ${compiler_sources} compile/whole_live.cpp)
set_target_properties(
  warpwright_compile PROPERTIES OUTPUT_NAME warpwright-compile LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
target_include_directories(warpwright_compile PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_BINARY_DIR})
target_include_directories(warpwright_compile SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_link_libraries(warpwright_compile PRIVATE LLVM)
if(NOT WW_SANITIZE)
  target_link_options(warpwright_compile PRIVATE -Wl,-z,defs)  # what is missing is missed here, not when it is opened
endif()
target_compile_definitions(ww_engine PRIVATE WW_COMPILER_BUILT="${CMAKE_BINARY_DIR}/libwarpwright-compile.so")
add_dependencies(ww_engine warpwright_compile)
install(TARGETS warpwright_compile LIBRARY DESTINATION lib/warpwright COMPONENT compiler)
