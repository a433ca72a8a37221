// Saves to a model directory, for tests that stop it:
//   heed_saver DIR FROM COUNT [SIZE]
// saves generation FROM, FROM + 1, ... (COUNT of them; 0: without end) as generations.h has them.
//   heed_saver DIR
// reads it and prints the generation.
//   heed_saver --file PATH FROM COUNT [SIZE]
//   heed_saver --file PATH
// do the same with a single file. Exit code 0, 1 for what is not whole, or 3 with the message of a
// heed::Error.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../../core/error.h"
#include "generations.h"

int main(int argc, char** argv) {
  const bool file = argc > 1 && std::string(argv[1]) == "--file";
  if (file) ++argv, --argc;
  if (argc != 2 && argc < 4) return 2;
  const std::string path = argv[1];
  try {
    if (argc == 2) {
      std::string why;
      const auto read = [&](const char* name) { return heed::io::read_from_directory(path, name); };
      const long generation =
          file ? heed::generation_in_file(path, why) : heed::generation_in(read, why);
      std::printf("%ld %s\n", generation, why.c_str());
      return generation < 0 ? 1 : 0;
    }
    const long from = std::atol(argv[2]), count = std::atol(argv[3]);
    const std::size_t size = argc > 4 ? static_cast<std::size_t>(std::atol(argv[4])) : 100;
    const auto save = file ? heed::save_file_generation : heed::save_generation;
    for (long i = 0; count == 0 || i < count; ++i) save(path, from + i, size);
  } catch (const heed::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
  return 0;
}
