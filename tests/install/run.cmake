# Installs BUILD under a prefix of its own, and builds and runs CONSUMER against it: by find_package, with components
# and without; by pkg-config, also from the build itself; the classes of a page; and the README's first program, as it
# stands there. Links of the installed book work.
cmake_minimum_required(VERSION 3.22)
set(prefix ${BUILD}/tests/install/prefix)
set(work ${BUILD}/tests/install/consumer)
file(REMOVE_RECURSE ${prefix} ${work})
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
file(READ ${CONSUMER}/../../README.md readme)
string(REGEX MATCH "```cpp\n([^`]*)```" found "${readme}")
file(WRITE ${work}/readme.cpp "${CMAKE_MATCH_1}")

by_find_package(${prefix} ${work})
run(${work}/readme)
file(GLOB_RECURSE file ${prefix}/*/heed.pc)
get_filename_component(folder ${file} DIRECTORY)
by_pkg_config(${folder} ${work})
by_pkg_config(${BUILD} ${work} --define-variable=libdir=${BUILD} --define-variable=includedir=${BUILD}/include)
classes_of(${prefix}/share/doc/heed/docs/recipes.md ${prefix} ${work})
check_links(${prefix}/share/doc/heed)
