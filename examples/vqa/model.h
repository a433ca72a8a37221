// Readers of questions about pictures that differ in the attention only: three convolutions to a
// grid of cells, words to an LSTM's states, what a kind of attention makes of both, a classifier of
// one tanh layer.
#pragma once

#include <functional>
#include <memory>

#include "../../io/model_directory.h"
#include "../../nn/dropout.h"
#include "../../nn/embedding.h"
#include "../../nn/lstm.h"
#include "../../nn/sequential.h"
#include "corpus.h"

namespace vqa {

struct ModelOptions {
  std::string attention = "parallel";
  Index words = 0, answers = 0;  ///< how many there are
  Index height = 0, width = 0;   ///< of the images, multiples of 8
  Index hops = 2;
  Index hidden = 64;
  double dropout = 0;
  void fields(io::Fields& f) {
    f.choice(
        "attention", attention,
        {"blind", "none", "guided", "boxes", "stacked", "parallel", "alternating", "hierarchy"},
        "of the question to the image; blind: without the image, none: to all cells alike");
    f.size("hops", hops, 1, 16, "of stacked attention");
    f.size("hidden", hidden, 2, 1 << 12, "width of words, states and cells");
    f.number("dropout", dropout, 0, 0.99, "probability");
  }
};

struct Answer {
  Tensor logits;               ///< [B, answers]
  std::vector<Tensor> looked;  ///< f32 [B, H / 8, W / 8] of each look at the image
};

class Answerer : public nn::Module {
  struct Asked {
    Tensor words, states;  // [B, T, hidden]: vectors of the words, what the LSTM made of them
    Tensor question;       // [B, hidden]: its last state
    const std::vector<Index>& lengths;
    Tensor cells;  // [B, N, hidden]
    Tensor boxes;  // [B, 3, N]: how much each cell counts for a box; sums to 1, or 0 without one
  };
  std::function<Tensor(const Asked&, std::vector<Tensor>& looked)> look_;
  Index make_attention();  // gives back the width of what it makes

 public:
  /// Throws ValueError for options out of range.
  explicit Answerer(const ModelOptions& options);

  const ModelOptions options;
  nn::Sequential& grid;
  Tensor& positions;  ///< [H / 8 * W / 8, hidden], added to the cells
  nn::Embedding& words;
  nn::LSTM& question;
  nn::Dropout& dropout;
  nn::Sequential* classify;  ///< null where the attention answers by itself

  Answer operator()(const Batch& batch) const;
};

/// All that it takes to answer.
struct Expert {
  data::Vocabulary words, answers;
  std::unique_ptr<Answerer> model;
};
io::DirectoryFiles files_of(const Expert& expert);
/// Throws IoError; FormatError for a damaged folder, or vocabularies that do not fit the weights.
Expert load(const std::string& folder);

}  // namespace vqa
