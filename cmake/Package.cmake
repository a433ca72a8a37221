# `cmake --install`: the library, its headers, and what find_package(heed) and pkg-config read. Two components:
# `library`, what a program needs that is linked with a shared libheed, and `dev`, all else. cmake/Deb.cmake packs them.
include(CMakePackageConfigHelpers)

set(HEED_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/heed)
install(TARGETS heed heed_subwords heed_sound EXPORT heedTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev)
install(FILES heed.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heed COMPONENT dev)
if(HEED_WITH_MPI)
  install(TARGETS heed_distributed EXPORT heedTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endif()
foreach(folder IN LISTS HEED_FOLDERS HEED_DISTRIBUTED)
  install(FILES ${HEED_INCLUDE}/heed/${folder}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heed COMPONENT dev)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heed COMPONENT dev
          FILES_MATCHING PATTERN *.h PATTERN *-inl.h EXCLUDE)
endforeach()

configure_package_config_file(cmake/heedConfig.cmake.in heedConfig.cmake
                              INSTALL_DESTINATION ${HEED_PACKAGE_DIR})
write_basic_package_version_file(heedConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT heedTargets NAMESPACE heed:: DESTINATION ${HEED_PACKAGE_DIR} COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/heedConfig.cmake ${PROJECT_BINARY_DIR}/heedConfigVersion.cmake
              cmake/FindOpenBLAS.cmake
        DESTINATION ${HEED_PACKAGE_DIR} COMPONENT dev)
include(PkgConfig)

# The book and the programs it links to, laid out as here, so that its links work; its links to headers lead to the
# installed ones.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)
install(DIRECTORY docs examples packaging DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev
        FILES_MATCHING PATTERN *.md PATTERN *.png PATTERN *.svg PATTERN *.cpp PATTERN *.h PATTERN CMakeLists.txt
        PATTERN demo.txt)
file(RELATIVE_PATH headers /prefix/${CMAKE_INSTALL_DOCDIR} /prefix/${CMAKE_INSTALL_INCLUDEDIR}/heed)
foreach(folder IN LISTS HEED_FOLDERS)
  install(CODE "file(CREATE_LINK ${headers}/${folder}
                     \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/${folder}\" SYMBOLIC)" COMPONENT dev)
endforeach()
install(FILES scripts/heed_gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/heed COMPONENT dev)  # for gdb
include(Deb)
