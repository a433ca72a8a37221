#include "show_alignment.h"

#include <cstdio>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise.h"
#include "../../io/file.h"
#include "../../train/alignment.h"
#include "../../train/shade.h"

namespace translation {

std::string show_alignment(const Language& language, const std::string& source,
                           const std::string& target, const std::string& output) {
  const NoGrad scope;
  const Aligned aligned = align(language, source, target);
  train::AlignedSentence sentence{aligned.source, aligned.target, {}};
  Tensor sum;
  for (const Look& look : aligned.looks) {
    sum = sum.defined() ? sum + look.weights : look.weights;
    sentence.matrices.push_back({look.name, look.weights.array()});
  }
  const bool several = aligned.looks.size() > 1;
  const Tensor mean = sum / static_cast<double>(aligned.looks.size());
  const train::Alignment whole = {several ? "all layers and heads" : aligned.looks.front().name,
                                  aligned.source, aligned.target, mean.array()};
  if (several) sentence.matrices.insert(sentence.matrices.begin(), {whole.title, whole.weights});
  if (!output.empty()) {
    train::write_png(output + ".png", train::alignment_picture(whole));
    io::write_file_atomically(output + ".svg", train::alignment_svg(whole));
    io::write_file_atomically(output + ".html", train::alignment_page("Alignment", {sentence}));
  }
  return train::alignment_text(whole, train::detect_shade_style(stdout));
}

}  // namespace translation
