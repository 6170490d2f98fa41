# cmake -DFRAME=frame.html -DSTYLES=a.css|b.css -DLIBRARY=d3.js -DMESSAGES=FOLDER -DMODULES=a.js|main.js -DOUTPUT=page.html
#       -DNAME=report -DWITHOUT_SCRIPT=TEXT -P assemble_page.cmake
# Puts the id of the main element, a text for readers without scripts, styles, charting library (may be left out), messages
# and modules into the frame. The modules become one script: their
# lines `import … from "…";` go, `export` goes from declarations, so their top-level names must differ (tests/page checks
# it). Order does not matter but for the last, main.js, which runs last.
foreach(list IN ITEMS STYLES MODULES)
  string(REPLACE "|" ";" ${list} "${${list}}")
endforeach()
file(READ ${FRAME} page)

set(style "")
foreach(file IN LISTS STYLES)
  file(READ ${file} text)
  string(APPEND style "${text}\n")
endforeach()
set(library "")
if(LIBRARY)
  file(READ ${LIBRARY} library)
endif()

set(messages "{")
file(GLOB catalogues ${MESSAGES}/*.json)
set(comma "")
foreach(file IN LISTS catalogues)
  get_filename_component(language ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND messages "${comma}\"${language}\":${text}")
  set(comma ",")
endforeach()
string(APPEND messages "}")

set(code "")
foreach(file IN LISTS MODULES)
  file(READ ${file} text)
  string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
  string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
  string(APPEND code "${text}\n")
endforeach()

set(name "${NAME}")
set(without_script "${WITHOUT_SCRIPT}")
foreach(part IN ITEMS name without_script style library messages code)
  if("${${part}}" MATCHES "</(script|style)")
    message(FATAL_ERROR "${part} of the page holds the end of a script or style element")
  endif()
  string(TOUPPER "@${part}@" gap)
  string(REPLACE "${gap}" "${${part}}" page "${page}")
endforeach()
file(WRITE ${OUTPUT} "${page}")
