# cmake -DINPUT=… -DOUTPUT=… -DROOT=… -P relative_files.cmake: makes the .file paths of a PTX text relative to ROOT and
# drops their time stamps. With -DVERSION=… -DTARGET=…: writes these into its head.
file(READ ${INPUT} text)
string(REPLACE "\"${ROOT}/" "\"" text "${text}")
string(REGEX REPLACE "(\n[ \t]*\\.file[ \t]+[0-9]+ \"[^\"\n]*\"), [0-9]+, [0-9]+" "\\1" text "${text}")
if(DEFINED TARGET)
  string(REGEX REPLACE "\n\\.version [0-9.]+" "\n.version ${VERSION}" text "${text}")
  string(REGEX REPLACE "\n\\.target sm_[0-9a-z]+" "\n.target ${TARGET}" text "${text}")
endif()
file(WRITE ${OUTPUT} "${text}")
file(REMOVE ${INPUT})
