// The special tokens around one text or two: tokenizer.json's "post_processor".
#pragma once

#include <vector>

#include "../../core/json_tree.h"
#include "../../core/shape.h"

namespace heed::data::tokenizers {

/// A special token, or the first (0) or the second text (1), with its type.
struct Slot {
  int text = -1;  ///< -1: a token
  Index id = 0, type = 0;
};

struct Template {
  std::vector<Slot> single{{.text = 0}}, pair{{.text = 0}, {.text = 1, .type = 1}};
  bool trims = false;         ///< offsets leave out spaces at a token's ends
  bool keeps_prefix = false;  ///< but a single one before the first token, which was put there
};

/// Null: the texts alone. TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, and a
/// Sequence of them in which one adds tokens. Throws FormatError for others, by name.
Template read_template(const JsonView& json);

}  // namespace heed::data::tokenizers
