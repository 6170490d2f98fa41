# cmake -DFOLDER=src/report/page -DLIBRARY=d3.js -DOUTPUT=page.html -P assemble_page.cmake
# Puts style, charting library, messages and modules into FOLDER/frame.html. The modules become one script: their lines
# `import … from "…";` go, `export` goes from declarations, so their top-level names must differ (tests/page checks it).
# Order does not matter but for main.js, which runs last.
file(READ ${FOLDER}/frame.html page)

file(READ ${FOLDER}/page.css style)
file(READ ${LIBRARY} library)

set(messages "{")
file(GLOB catalogues ${FOLDER}/messages/*.json)
set(comma "")
foreach(file IN LISTS catalogues)
  get_filename_component(language ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND messages "${comma}\"${language}\":${text}")
  set(comma ",")
endforeach()
string(APPEND messages "}")

set(code "")
file(GLOB modules ${FOLDER}/*.js)
list(REMOVE_ITEM modules ${FOLDER}/main.js)
foreach(file IN LISTS modules ITEMS ${FOLDER}/main.js)
  file(READ ${file} text)
  string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
  string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
  string(APPEND code "${text}\n")
endforeach()

foreach(part IN ITEMS style library messages code)
  if("${${part}}" MATCHES "</(script|style)")
    message(FATAL_ERROR "${part} of the page holds the end of a script or style element")
  endif()
  string(TOUPPER "@${part}@" gap)
  string(REPLACE "${gap}" "${${part}}" page "${page}")
endforeach()
file(WRITE ${OUTPUT} "${page}")
