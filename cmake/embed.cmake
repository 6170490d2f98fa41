# ww_embed_texts(OUTPUT FUNCTION HEADER NAMESPACE TYPE file…)
#
# Writes a source file with the function of that name (declared in HEADER), which returns a span of TYPE{name, text}: the files as they are.
# A changed file is taken up by the next build.
function(ww_embed_texts output function header namespace type)
  set(entries "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"~data~(${text})~data~\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Written by cmake/embed.cmake.
#include \"${header}\"

namespace ${namespace} {

std::span<const ${type}> ${function}() {
  static constexpr ${type} files[] = {
@entries@  };
  return files;
}

}  // namespace ${namespace}
")
endfunction()
