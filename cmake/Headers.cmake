# <heed/heed.h>, <heed/FOLDER.h> and <heed/FOLDER/...> in the build tree, as they are when installed:
# the source folders as links, and one forwarding header for each folder's umbrella.

set(HEED_INCLUDE ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${HEED_INCLUDE}/heed)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/heed.h ${HEED_INCLUDE}/heed/heed.h SYMBOLIC)
if(HEED_WITH_MPI)
  set(HEED_DISTRIBUTED distributed)
endif()
foreach(folder IN LISTS HEED_FOLDERS HEED_DISTRIBUTED)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${HEED_INCLUDE}/heed/${folder} SYMBOLIC)
  file(CONFIGURE OUTPUT ${HEED_INCLUDE}/heed/${folder}.h
       CONTENT "#pragma once\n\n#include \"${folder}/${folder}.h\"\n")
endforeach()
target_include_directories(heed INTERFACE $<BUILD_INTERFACE:${HEED_INCLUDE}>
                                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
