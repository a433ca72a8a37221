// What scripts/peers asks of readers and writers of others' files:
//
//   heed_peer_files print FILE      each array of a .npz, .npy, .pt, .safetensors: name, dtype, shape, and all
//                                   numbers, as many as print them to the bit
//   heed_peer_files rewrite FILE TO  the same arrays as .npz, or as .safetensors

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "../../core/error.h"
#include "../../io/gguf.h"
#include "../../io/npz.h"
#include "../../io/torch_file.h"

namespace {

using namespace heed;

io::NamedArrays read(const std::string& path) {
  if (path.ends_with(".npz")) return io::read_npz(path);
  if (path.ends_with(".npy")) return {{"array", io::read_npy(path)}};
  if (path.ends_with(".pt")) return io::read_torch(path).arrays;
  if (path.ends_with(".gguf")) return io::read_gguf(path).arrays;
  return io::read_safetensors(path).arrays;
}

void print(const io::NamedArrays& arrays) {
  for (const auto& [name, array] : arrays) {
    fmt::print("{}\t{}\t{}\t", name, heed::name(array.dtype()), fmt::join(array.shape(), ","));
    for (const double number : array.to(DType::f64).to_vector<double>())
      fmt::print("{:.17g} ", number);
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 2 ? argv[1] : "";
    if (what == "print" && argc == 3) {
      print(read(argv[2]));
    } else if (what == "rewrite" && argc == 4) {
      const std::string to = argv[3];
      const io::NamedArrays arrays = read(argv[2]);
      to.ends_with(".npz") ? io::write_npz(to, arrays) : io::write_safetensors(to, arrays);
    } else {
      fmt::print(stderr, "usage: heed_peer_files print FILE | rewrite FILE TO\n");
      return 2;
    }
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
