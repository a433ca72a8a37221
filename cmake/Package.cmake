# `cmake --install`: the library, its headers, and what find_package(heed) reads.
include(CMakePackageConfigHelpers)

set(HEED_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/heed)
install(TARGETS heed heed_subwords heed_sound EXPORT heedTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES heed.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heed)
if(HEED_WITH_MPI)
  install(TARGETS heed_distributed EXPORT heedTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
foreach(folder IN LISTS HEED_FOLDERS HEED_DISTRIBUTED)
  install(FILES ${HEED_INCLUDE}/heed/${folder}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heed)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heed
          FILES_MATCHING PATTERN *.h PATTERN *-inl.h EXCLUDE)
endforeach()

configure_package_config_file(cmake/heedConfig.cmake.in heedConfig.cmake
                              INSTALL_DESTINATION ${HEED_PACKAGE_DIR})
write_basic_package_version_file(heedConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT heedTargets NAMESPACE heed:: DESTINATION ${HEED_PACKAGE_DIR})
install(FILES ${PROJECT_BINARY_DIR}/heedConfig.cmake ${PROJECT_BINARY_DIR}/heedConfigVersion.cmake
              cmake/FindOpenBLAS.cmake
        DESTINATION ${HEED_PACKAGE_DIR})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES scripts/heed_gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/heed)  # for gdb
