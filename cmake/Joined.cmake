# Builds that are made once compile several files as one (joined.py): much of a compiler's time goes into
# what each of them reads. One file changed is then several that are compiled, so that it is not for work.
set(HEED_JOINED OFF CACHE STRING "Compile several files as one, for builds that are made once: those of TESTS, or ALL; asks for Python")
if(HEED_JOINED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  # What is in a file's unnamed namespace looks to g++ like a header's, where another file reads it.
  set(HEED_JOINED_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  # A tenth of its time goes into collecting garbage, unless it may hold 400 MB before it begins.
  add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=400000>")
endif()

# The files of LIST, joined, but for those with options of their own, which have CMake's SKIP_UNITY_BUILD_INCLUSION;
# what is written lies in a folder NAME.
function(heed_join list name)
  if(NOT HEED_JOINED)
    return()
  endif()
  list(TRANSFORM ${list} REPLACE "^([^/].*)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
  set(alone)
  foreach(source IN LISTS ${list})
    get_source_file_property(skipped ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(skipped)
      list(APPEND alone ${source})
    endif()
  endforeach()
  if(alone)
    list(REMOVE_ITEM ${list} ${alone})
  endif()
  execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/joined.py
                          ${CMAKE_CURRENT_BINARY_DIR}/joined/${name} 12 ${${list}}
                  OUTPUT_VARIABLE joined COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${${list}} ${PROJECT_SOURCE_DIR}/cmake/joined.py)
  set(${list} ${joined} ${alone} PARENT_SCOPE)
endfunction()
