# Builds that are made once read what several files of a folder read as one (joined.py): half of the time of
# compiling tests. One file changed is then several that are compiled, so that it is not for work.
set(HEED_JOINED OFF CACHE STRING "Compile several files as one, for builds that are made once: those of TESTS, or ALL; asks for Python")
if(HEED_JOINED)
  # What is in a file's unnamed namespace looks to g++ like a header's, where another file reads it.
  set(HEED_JOINED_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

# The files of LIST, joined; what is written lies in a folder NAME.
function(heed_join list name)
  if(NOT HEED_JOINED)
    return()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  list(TRANSFORM ${list} REPLACE "^([^/].*)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
  execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/joined.py
                          ${CMAKE_CURRENT_BINARY_DIR}/joined/${name} 8 ${${list}}
                  OUTPUT_VARIABLE joined COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${${list}} ${PROJECT_SOURCE_DIR}/cmake/joined.py)
  set(${list} ${joined} PARENT_SCOPE)
endfunction()
