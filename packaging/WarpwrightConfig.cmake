# find_package(Warpwright): tests of CUDA programs on machines without a GPU.
#
#   warpwright_add_test(NAME name COMMAND program [argument…] [CHECK] [GPU name] [TIMEOUT seconds])
#
# adds a test that runs the program under `warpwright run`, or under `warpwright check` with CHECK. COMMAND may be a
# target that add_executable made.
#
# Warpwright::warpwright_kernels is the library of kernels (warpwright/kernels.h), if it was built.
get_filename_component(_warpwright_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(WARPWRIGHT_PROGRAM warpwright HINTS "${_warpwright_prefix}/bin" NO_CACHE)
if(NOT WARPWRIGHT_PROGRAM)
  set(Warpwright_FOUND FALSE)
  set(Warpwright_NOT_FOUND_MESSAGE "there is no program warpwright in ${_warpwright_prefix}/bin")
  return()
endif()
set(Warpwright_FOUND TRUE)
include("${CMAKE_CURRENT_LIST_DIR}/WarpwrightKernels.cmake" OPTIONAL)

function(warpwright_add_test)
  cmake_parse_arguments(arg "CHECK" "NAME;GPU;TIMEOUT" "COMMAND" ${ARGN})
  if(NOT arg_NAME OR NOT arg_COMMAND)
    message(FATAL_ERROR "warpwright_add_test needs NAME and COMMAND")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "warpwright_add_test does not know ${arg_UNPARSED_ARGUMENTS}")
  endif()
  list(POP_FRONT arg_COMMAND program)
  if(TARGET "${program}")
    set(program $<TARGET_FILE:${program}>)
  endif()
  set(command run)
  if(arg_CHECK)
    set(command check)
  endif()
  set(options "")
  if(arg_GPU)
    list(APPEND options --gpu ${arg_GPU})
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${WARPWRIGHT_PROGRAM} ${command} ${options} ${program} ${arg_COMMAND})
  if(arg_TIMEOUT)
    set_tests_properties(${arg_NAME} PROPERTIES TIMEOUT ${arg_TIMEOUT})
  endif()
endfunction()
