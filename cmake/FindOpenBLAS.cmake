# OpenBLAS, any of its builds: target OpenBLAS::OpenBLAS.
#
# Debian installs each threading model in a folder of its own and lets update-alternatives decide what
# the plain libopenblas.so.0 is. A folder is linked by its path and stands in the rpath of what is
# linked, so that the choice of the system's administrator changes nothing.

set(OpenBLAS_FOLDERS openblas-openmp openblas-serial openblas-pthread openblas)
find_library(OpenBLAS_LIBRARY NAMES openblas PATH_SUFFIXES ${OpenBLAS_FOLDERS})
find_path(OpenBLAS_INCLUDE_DIR NAMES cblas.h PATH_SUFFIXES ${OpenBLAS_FOLDERS})
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
