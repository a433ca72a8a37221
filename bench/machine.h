// What the times of a run are to be read with: the processor, its limit of multiply-adds, what
// fresh memory costs, and the OpenBLAS that each side has loaded.
#pragma once

namespace bench::machine {

/// Measures and prints.
void print(int threads, int repeats);

}  // namespace bench::machine
