#include "alignment_mean.h"

#include "../autograd/grad_mode.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../core/error.h"
#include "../io/file.h"
#include "drawn_alignment.h"

namespace heed::train {

Alignment mean_alignment(const AlignedSentence& sentence) {
  if (sentence.matrices.empty()) throw ValueError("mean_alignment: the sentence has no matrix");
  const NoGrad scope;
  const auto& [name, first] = sentence.matrices.front();
  const std::size_t count = sentence.matrices.size();
  if (count == 1) return {name, sentence.source, sentence.target, first};
  Tensor sum(first);
  for (std::size_t i = 1; i < count; ++i) sum = sum + Tensor(sentence.matrices[i].weights);
  return {"all layers and heads", sentence.source, sentence.target,
          (sum / static_cast<double>(count)).array()};
}

AttendedSentence looked_at(const std::vector<std::string>& words, const Array* weights) {
  AttendedSentence out;
  out.weight = 1;
  for (const std::string& word : words) out.words.push_back({word, 0});
  if (weights == nullptr) return out;
  const auto rows = static_cast<std::size_t>(weights->rank() == 2 ? weights->size(0) : 0);
  const auto numbers = drawn_weights("looked_at", *weights, rows, words.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    out.words[i % words.size()].weight += numbers[i] / static_cast<double>(rows);
  }
  return out;
}

void write_alignment(const std::string& path, const AlignedSentence& sentence) {
  const Alignment mean = mean_alignment(sentence);
  AlignedSentence all = sentence;
  if (all.matrices.size() > 1)
    all.matrices.insert(all.matrices.begin(), {mean.title, mean.weights});
  write_png(path + ".png", alignment_picture(mean));
  io::write_file_atomically(path + ".svg", alignment_svg(mean));
  io::write_file_atomically(path + ".html", alignment_page("Alignment", {all}));
}

}  // namespace heed::train
