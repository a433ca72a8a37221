// What a tagger says of sentences, how much of it is right, and how it is shown: as text with the
// terms marked and the words shaded by what each attention looked at, and as a picture.
#pragma once

#include <string>
#include <vector>

#include "../../train/picture.h"
#include "../../train/shade.h"
#include "../../train/span_f1.h"
#include "model.h"

namespace aspects {

/// One sentence as it was tagged, of both sides.
struct Tagged {
  std::array<Words, 2> tags;
  /// Of each layer one a word, but of the last of several, which no other reads; none without any.
  std::array<std::vector<std::vector<double>>, 2> weights;
};
/// The tagger is put into eval mode. At least one sentence, of at least one word each.
std::vector<Tagged> tag(Tagger& tagger, const std::vector<Example>& some);
/// One sentence. Throws ValueError for one without words, or of more than data::kLongestTagged.
Tagged tag(const Reader& reader, const Words& words);

/// Of aspects and of opinions.
std::array<train::SpanF1, 2> evaluate(Tagger& tagger, const std::vector<Example>& examples);

/// "the <fish tacos> were *salty*", and of each side a line with its last weights.
std::string in_text(const Words& words, const Tagged& tagged, train::ShadeStyle style);
/// A row for each layer of each side, a column a word. Throws ValueError without attention.
train::Picture in_picture(const Words& words, const Tagged& tagged);

}  // namespace aspects
