# What `cmake --install` and `cpack` give besides the programs: the CMake package, completion of the shell, man pages.
#   cmake --build build/release && (cd build/release && cpack)    a .deb and a tarball that may be unpacked anywhere
install(FILES ${CMAKE_CURRENT_LIST_DIR}/WarpwrightConfig.cmake DESTINATION lib/cmake/Warpwright)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/warpwright.bash DESTINATION share/bash-completion/completions RENAME warpwright)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/_warpwright DESTINATION share/zsh/vendor-completions)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/warpwright.fish DESTINATION share/fish/vendor_completions.d)
# The manual's pages are what the program says at --help.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  set(ww_manual ${CMAKE_BINARY_DIR}/man)
  add_custom_command(OUTPUT ${ww_manual}/warpwright.1
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/man_pages.py $<TARGET_FILE:warpwright> ${ww_manual} ${PROJECT_VERSION}
    DEPENDS warpwright ${CMAKE_CURRENT_LIST_DIR}/man_pages.py COMMENT "Writing the manual's pages" VERBATIM)
  add_custom_target(manual ALL DEPENDS ${ww_manual}/warpwright.1)
  install(DIRECTORY ${ww_manual}/ DESTINATION share/man/man1 FILES_MATCHING PATTERN "*.1")
endif()

set(CPACK_GENERATOR TGZ)
find_program(WW_DPKG_SHLIBDEPS dpkg-shlibdeps)
if(WW_DPKG_SHLIBDEPS)
  list(APPEND CPACK_GENERATOR DEB)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # the libraries it was built with
  # Its own libraries are found by their folder, not by the linker's list.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib-cuda)
endif()
# What needs LLVM is a package of its own: without it kernels are interpreted.
if(TARGET warpwright_compile)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_ALL Unspecified compiler)
  set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME warpwright)
  set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS warpwright-compiler)
  set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME warpwright-compiler)
  set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS "warpwright (= ${PROJECT_VERSION})")
  set(CPACK_COMPONENT_COMPILER_DESCRIPTION "Runs Warpwright's kernels as native code, which is several times as fast")
endif()
set(CPACK_PACKAGE_NAME warpwright)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Runs, checks and counts CUDA programs without a GPU")
set(CPACK_PACKAGE_CONTACT "the Warpwright developers")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
include(CPack)
