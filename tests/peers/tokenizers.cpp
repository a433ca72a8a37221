// What scripts/peers asks of tokenizers:
//
//   heed_peer_tokenizers train KIND SIZE TEXTS TO  a tokenizer.json learned from the lines of a file: byte_level,
//                                                  byte_fallback, word_piece; unigram and bpe make sentencepiece's
//                                                  .model, and beside it what it is as tokenizer.json
//   heed_peer_tokenizers encode TOKENIZER TEXTS    of each line: numbers, bytes where each begins and ends, and the
//                                                  text decoded, as JSON; at last the fastest of three times it took
//                                                  one thread, in seconds
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../core/error.h"
#include "../../core/parallel.h"
#include "../../data/sentencepiece.h"
#include "../../data/tokenizers/bpe_training.h"
#include "../../data/tokenizers/pretrained_tokenizer.h"
#include "../../data/tokenizers/sentencepiece_model.h"
#include "../../io/file.h"

namespace {

using namespace heed;

std::vector<std::string> lines_of(const std::string& path) {
  const std::string all = io::read_file(path);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    out.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

data::BpeKind kind_of(const std::string& name) {
  if (name == "byte_level") return data::BpeKind::byte_level;
  if (name == "byte_fallback") return data::BpeKind::byte_fallback;
  if (name == "word_piece") return data::BpeKind::word_piece;
  throw ValueError("no kind of that name: " + name);
}

void train(const std::string& kind, Index size, const std::vector<std::string>& lines,
           const std::string& to) {
  if (kind != "unigram" && kind != "bpe") {
    io::write_file_atomically(to, data::train_bpe(lines, {.kind = kind_of(kind), .size = size}));
    return;
  }
  const bool unigram = kind == "unigram";
  const std::string model = data::train_sentencepiece(
      lines, {.unigram = unigram, .size = size, .byte_fallback = !unigram});
  io::write_file_atomically(to + ".model", model);
  io::write_file_atomically(to, data::tokenizers::from_sentencepiece(model, to, true));
}

data::PretrainedTokenizer read(const std::string& path) {
  return path.ends_with(".model") ? data::PretrainedTokenizer::read_sentencepiece(path)
                                  : data::PretrainedTokenizer::read(path);
}

void encode(const std::string& path, const std::string& texts) {
  const data::PretrainedTokenizer tokenizer = read(path);
  const std::vector<std::string> lines = lines_of(texts);
  for (const std::string& line : lines) {
    const data::TokenizedText text = tokenizer.encode(line);
    nlohmann::json offsets = nlohmann::json::array();
    for (const auto& [begin, end] : text.offsets) offsets.push_back({begin, end});
    const nlohmann::json out = {
        {"ids", text.ids}, {"offsets", offsets}, {"text", tokenizer.decode(text.ids)}};
    fmt::print("{}\n", out.dump());
  }
  set_num_threads(1);
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    tokenizer.encode(lines);
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  fmt::print("{:.6f}\n", best);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "train" && argc == 6) {
      train(argv[2], std::stol(argv[3]), lines_of(argv[4]), argv[5]);
    } else if (what == "encode" && argc == 4) {
      encode(argv[2], argv[3]);
    } else {
      fmt::print(stderr,
                 "usage: heed_peer_tokenizers train KIND SIZE TEXTS TO | encode TOKENIZER TEXTS\n");
      return 2;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
