// Saves to a model directory, for tests that stop it:
//   heed_saver DIR FROM COUNT [SIZE]
// saves generation FROM, FROM + 1, ... (COUNT of them; 0: without end) as generations.h has them.
//   heed_saver DIR
// reads it and prints the generation. Exit code 0, 1 for a directory that is not whole, or 3 with
// the message of a heed::Error.
#include <cstdio>
#include <cstdlib>

#include "../../core/error.h"
#include "generations.h"

int main(int argc, char** argv) {
  if (argc != 2 && argc < 4) return 2;
  try {
    if (argc == 2) {
      std::string why;
      const long generation = heed::generation_in(
          [&](const char* name) { return heed::io::read_from_directory(argv[1], name); }, why);
      std::printf("%ld %s\n", generation, why.c_str());
      return generation < 0 ? 1 : 0;
    }
    const long from = std::atol(argv[2]), count = std::atol(argv[3]);
    const std::size_t size = argc > 4 ? static_cast<std::size_t>(std::atol(argv[4])) : 100;
    for (long i = 0; count == 0 || i < count; ++i) heed::save_generation(argv[1], from + i, size);
  } catch (const heed::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
  return 0;
}
