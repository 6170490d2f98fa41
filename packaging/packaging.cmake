# What `cmake --install` and `cpack` give besides the programs: the CMake package, completion of the shell.
#   cmake --build build/release && (cd build/release && cpack)    a .deb and a tarball that may be unpacked anywhere
install(FILES ${CMAKE_CURRENT_LIST_DIR}/WarpwrightConfig.cmake DESTINATION lib/cmake/Warpwright)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/warpwright.bash DESTINATION share/bash-completion/completions RENAME warpwright)

set(CPACK_GENERATOR TGZ)
find_program(WW_DPKG_SHLIBDEPS dpkg-shlibdeps)
if(WW_DPKG_SHLIBDEPS)
  list(APPEND CPACK_GENERATOR DEB)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # the libraries it was built with
  # Its own libraries are found by their folder, not by the linker's list.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib-cuda)
endif()
set(CPACK_PACKAGE_NAME warpwright)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Runs, checks and counts CUDA programs without a GPU")
set(CPACK_PACKAGE_CONTACT "the Warpwright developers")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
include(CPack)
