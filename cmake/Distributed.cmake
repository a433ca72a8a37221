# heed::distributed: training and attention over several processes, by MPI. Optional.
find_package(MPI REQUIRED COMPONENTS CXX)
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/distributed/*.cpp)
add_library(heed_distributed STATIC ${sources})
add_library(heed::distributed ALIAS heed_distributed)
set_target_properties(heed_distributed PROPERTIES EXPORT_NAME distributed POSITION_INDEPENDENT_CODE ON)
target_compile_options(heed_distributed PRIVATE ${HEED_WARNINGS} ${HEED_HARDENING})
target_compile_definitions(heed_distributed PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX PUBLIC HEED_WITH_MPI)
target_link_libraries(heed_distributed PUBLIC heed PRIVATE fmt::fmt MPI::MPI_CXX)
