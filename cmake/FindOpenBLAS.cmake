# OpenBLAS, the build that shares OpenMP's threads: target OpenBLAS::OpenBLAS.
#
# Debian installs each threading model in a folder of its own and lets update-alternatives decide what
# the plain libopenblas.so.0 is. The OpenMP folder is linked by its path and stands in the rpath of what
# is linked, so that the choice of the system's administrator changes nothing.

find_library(OpenBLAS_LIBRARY NAMES openblas PATH_SUFFIXES openblas-openmp)
find_path(OpenBLAS_INCLUDE_DIR NAMES cblas.h PATH_SUFFIXES openblas-openmp openblas)
if(NOT OpenBLAS_LIBRARY OR NOT OpenBLAS_INCLUDE_DIR)
  find_package(PkgConfig QUIET)
  pkg_check_modules(PC_OPENBLAS QUIET openblas)
  find_library(OpenBLAS_LIBRARY NAMES openblas HINTS ${PC_OPENBLAS_LIBRARY_DIRS})
  find_path(OpenBLAS_INCLUDE_DIR NAMES cblas.h HINTS ${PC_OPENBLAS_INCLUDE_DIRS})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBLAS REQUIRED_VARS OpenBLAS_LIBRARY OpenBLAS_INCLUDE_DIR)
mark_as_advanced(OpenBLAS_LIBRARY OpenBLAS_INCLUDE_DIR)

if(OpenBLAS_FOUND AND NOT TARGET OpenBLAS::OpenBLAS)
  file(STRINGS ${OpenBLAS_LIBRARY} OpenBLAS_OPENMP REGEX "lib(gomp|omp|iomp5)\\.so" LIMIT_COUNT 1)
  if(NOT OpenBLAS_OPENMP)
    message(WARNING "${OpenBLAS_LIBRARY} was not built with OpenMP: it will start threads of its own "
                    "beside heed's and be slow. On Debian, install libopenblas-openmp-dev.")
  endif()
  get_filename_component(OpenBLAS_DIRECTORY ${OpenBLAS_LIBRARY} DIRECTORY)
  add_library(OpenBLAS::OpenBLAS UNKNOWN IMPORTED)
  set_target_properties(OpenBLAS::OpenBLAS PROPERTIES
    IMPORTED_LOCATION ${OpenBLAS_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${OpenBLAS_INCLUDE_DIR})
  if(NOT OpenBLAS_DIRECTORY IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    set_property(TARGET OpenBLAS::OpenBLAS
                 PROPERTY INTERFACE_LINK_OPTIONS -Wl,-rpath,${OpenBLAS_DIRECTORY})
  endif()
endif()
