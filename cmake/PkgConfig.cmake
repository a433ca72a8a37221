# heed.pc: `pkg-config --cflags --libs heed`. A static library asks for all that it was linked with, a shared one
# brings it along. The prefix is where the file lies, so that an installed tree may be moved.
file(RELATIVE_PATH HEED_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
get_target_property(openblas OpenBLAS::OpenBLAS IMPORTED_LOCATION)
get_filename_component(openblas_folder ${openblas} DIRECTORY)
set(openblas "-L${openblas_folder} -Wl,-rpath,${openblas_folder} -lopenblas")
set(modules "fmt libpng libjpeg zlib libzstd libutf8proc libpcre2-8 libhwy")
if(BUILD_SHARED_LIBS)
  set(HEED_PC_PRIVATE "Requires.private: ${modules}\nLibs.private: ${openblas} -pthread")
else()
  set(HEED_PC_PRIVATE "Requires: ${modules}")
endif()
configure_file(cmake/heed.pc.in heed.pc @ONLY)
if(NOT BUILD_SHARED_LIBS)  # in one line with our own
  file(READ ${PROJECT_BINARY_DIR}/heed.pc text)
  string(REPLACE " -lheed\n" " -lheed ${openblas} -pthread -ldl\n" text "${text}")
  file(WRITE ${PROJECT_BINARY_DIR}/heed.pc "${text}")
endif()
install(FILES ${PROJECT_BINARY_DIR}/heed.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
