// The memory network with its options: made of a seed, measured, and kept on disk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../attention/mechanisms/memory/memory_network.h"
#include "../../io/fields.h"
#include "corpus.h"

namespace babi {

using attention::MemoryNetwork;
using attention::PositionEncoding;

/// As in the paper, and where it is silent as in its authors' program.
struct ModelOptions : attention::MemoryNetworkOptions {
  ModelOptions() {
    position_encoding = PositionEncoding::centred;
    empty_memories = true;
  }
  void fields(io::Fields& f) {
    f.size("width", width, 1, 1 << 14, "of the embeddings; joint 50 if nothing is said");
    f.size("hops", hops, 1, 100, "over the story");
    f.size("memory", slots, 1, 1 << 16, "last sentences that it may look at");
    f.number("noise", noise, 0, 1, "share of empty memories in training");
    f.choice("position_encoding", position_encoding,
             {{"none", PositionEncoding::none},
              {"published", PositionEncoding::published},
              {"centred", PositionEncoding::centred}},
             "centred: 1 on average; published: the paper's formula; none: bags of words");
    f.flag("empty_memories", empty_memories,
           "a hop looks at what is left of the memory, too, not at sentences alone");
  }
};

/// With weights of this seed, also where other threads make theirs. Throws ValueError.
std::unique_ptr<MemoryNetwork> make_model(const ModelOptions& options, std::uint64_t seed);

/// Of the questions, in nats and as a share of them.
struct Figures {
  double loss, error;
};
/// Throws ValueError without an example.
Figures evaluate(MemoryNetwork& model, const std::vector<Example>& examples);

/// All that it takes to answer questions.
struct Reader {
  ModelOptions options;  ///< slots: also how many sentences it remembers
  data::Vocabulary vocabulary;
  std::unique_ptr<MemoryNetwork> model;
};

/// Throws IoError; the old model is whole then.
void save(const MemoryNetwork& model, const ModelOptions& options,
          const data::Vocabulary& vocabulary, const std::string& folder);
/// Throws IoError for a missing folder or file, FormatError for a damaged one, or a vocabulary that
/// does not fit the weights.
Reader load(const std::string& folder);

}  // namespace babi
