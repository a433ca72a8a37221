// OpenBLAS works in buffers of 128 MB of address space: one for each of its threads when the
// program is loaded, one more for each thread of ours that calls it, at its first call. Where there
// is none (ulimit -v) it asks for ever. At loading nothing can be done about that: a limit must
// leave 128 MB x OMP_NUM_THREADS beside 75 MB of libraries. Later it is asked for here, before.
#pragma once

namespace heed::kernels {

/// Throws OutOfMemory where this thread's first call of BLAS would find no buffer.
void check_blas_buffer();

}  // namespace heed::kernels
