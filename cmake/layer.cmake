# ww_layer(NAME [SMALL] [DEPENDS layer…] [LIBRARIES target…] [SOURCES file…])
#
# SMALL: nobody waits for what its code computes, but everybody for the compiler: it is optimised less (two thirds of
# the time).
#
# One folder of src/ is one static library. Its headers are reached as "NAME/file.h" and only by targets
# that link it: each layer gets an include directory of its own that holds nothing but a link to the folder,
# so an include against the direction of the arrows in docs/design.md does not compile.
function(ww_layer name)
  cmake_parse_arguments(arg "SMALL" "" "DEPENDS;LIBRARIES;SOURCES" ${ARGN})
  set(root ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${name} SYMBOLIC)
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  if(arg_SOURCES)
    add_library(ww_${name} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    if(arg_SMALL)
      target_compile_options(ww_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
    # Optimising the sanitizers' checks takes longer than the tests gain by it, but for those that see every access.
    if(WW_SANITIZE STREQUAL "ON" AND NOT name MATCHES "^(engine|checks|caches)$")
      target_compile_options(ww_${name} PRIVATE -O0)
    endif()
  else()
    add_library(ww_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(ww_${name} ${scope} ${root})
  list(TRANSFORM arg_DEPENDS PREPEND ww_)
  target_link_libraries(ww_${name} ${scope} ${arg_DEPENDS} ${arg_LIBRARIES})
endfunction()
