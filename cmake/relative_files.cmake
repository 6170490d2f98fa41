# cmake -DINPUT=… -DOUTPUT=… -DROOT=… -P relative_files.cmake: makes the .file paths of a PTX text relative to ROOT and
# drops their time stamps.
file(READ ${INPUT} text)
string(REPLACE "\"${ROOT}/" "\"" text "${text}")
string(REGEX REPLACE "(\n[ \t]*\\.file[ \t]+[0-9]+ \"[^\"\n]*\"), [0-9]+, [0-9]+" "\\1" text "${text}")
file(WRITE ${OUTPUT} "${text}")
file(REMOVE ${INPUT})
