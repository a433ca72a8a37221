# Installs BUILD under a prefix of its own, builds CONSUMER against it, runs it; and the README's first
# program, as it stands there.
set(prefix ${BUILD}/tests/install/prefix)
set(work ${BUILD}/tests/install/consumer)
file(REMOVE_RECURSE ${prefix} ${work})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${ARGV}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
file(READ ${CONSUMER}/../../README.md readme)
string(REGEX MATCH "```cpp\n([^`]*)```" found "${readme}")
file(WRITE ${work}/readme.cpp "${CMAKE_MATCH_1}")

run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${work} -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${work})
run(${work}/consumer)
run(${work}/readme)
