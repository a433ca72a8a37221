# How everything in this project is compiled.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# Part of somebody's project (add_subdirectory, FetchContent) that names no build type, heed would come
# without any optimisation, 30 times slower. This is the value of this folder alone.
if(NOT HEED_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
  message(WARNING "heed: CMAKE_BUILD_TYPE is not set: heed itself is built as Release, your own code is not "
                  "optimised. Say -DCMAKE_BUILD_TYPE=Release")
endif()

if(HEED_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
  find_program(CCACHE ccache)
  if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Without these words it keeps nothing that was compiled with a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  endif()
endif()

set(HEED_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(HEED_WARNINGS_AS_ERRORS)
  list(APPEND HEED_WARNINGS -Werror)
endif()

# No -march: Highway and OpenBLAS choose at run time. No -ffast-math: results must not depend on the
# compiler's mood; errno and floating-point traps are what nobody reads.
set(HEED_KERNEL_OPTIONS $<$<CONFIG:Release,RelWithDebInfo>:-O3> -fno-math-errno -fno-trapping-math
    # Nobody replaces one of our functions by one of his own: they may be inlined in a shared library, too.
    -fno-semantic-interposition)

# What reads foreign files stands up to a mistake of ours: canaries on the stack, checked copies and
# containers. Kernels, tape and layers, which a step waits for, see no foreign bytes and go without.
# Programs have their tables of addresses read-only once they run.
set(HEED_HARDENING "$<$<CONFIG:Release>:-fstack-protector-strong;-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2;-D_GLIBCXX_ASSERTIONS>")
if(HEED_TOP_LEVEL AND CMAKE_SYSTEM_NAME STREQUAL Linux)
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()
# Kernels come for AVX-512, for AVX2, and in plain C++ for what is older than both. Those that only walk and
# dispatch do not gain from -O3, which makes them half as large again, nor do layers, files, and the operators
# that only call kernels. The tape and the operators of small models keep it: they are what a small step costs.
function(heed_optimise)
  set(kernels ${ARGN})
  list(FILTER kernels INCLUDE REGEX "/core/kernels/")
  set(unused "HWY_SSSE3|HWY_SSE4")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(unused "HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128")  # whose vectors have no size that the compiler knows; NEON's have
  endif()
  set_source_files_properties(${kernels} PROPERTIES COMPILE_DEFINITIONS "HWY_DISABLED_TARGETS=(${unused})")
  # A kernel says MulAdd where it wants a product and a sum fused: where a compiler does so by itself,
  # the end of a row can have other bits than its middle.
  set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
  set(optimised $<AND:$<CONFIG:Release,RelWithDebInfo>,$<NOT:$<BOOL:${HEED_COVERAGE}>>>)
  set(walking ${kernels})
  list(FILTER walking EXCLUDE REGEX "(_simd|packed_matrix|attention_grad|attention_weights|index|index_places|cumulative|sort)\\.cpp$")
  set_property(SOURCE ${walking} APPEND PROPERTY COMPILE_OPTIONS
    "$<${optimised}:-O2;-ftree-vectorize>;$<$<AND:${optimised},$<CXX_COMPILER_ID:GNU>>:-fvect-cost-model=dynamic>")
  set(others ${ARGN})
  list(FILTER others EXCLUDE REGEX "/(core|optim)/")
  list(FILTER others EXCLUDE REGEX
       "/autograd/([a-z_]+|ops/[a-z]+/(activation|cross_entropy|dropout|elementwise|matmul|reduce|shape|softmax))\\.cpp$")
  set_property(SOURCE ${others} APPEND PROPERTY COMPILE_OPTIONS "$<${optimised}:-O2>")
endfunction()
