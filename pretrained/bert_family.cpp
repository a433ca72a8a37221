#include <fmt/format.h>

#include "../core/error.h"
#include "../core/quoted.h"
#include "families.h"

namespace heed::pretrained {

std::unique_ptr<Bert> load_bert(FamilyFile& file) {
  const FamilyConfig& config = file.config;
  file.strip("bert.");
  file.modernise();
  const std::string places = config.text("position_embedding_type", "absolute");
  if (places != "absolute") {
    config.refuse("position_embedding_type", in_quotes(places) + " is not known");
  }
  config.want("is_decoder", false);
  const std::string whole = config.text("architectures.0", "");
  if (whole.ends_with("ForTokenClassification")) {  // its classifier has the sentence's name
    config.refuse("architectures", in_quotes(whole) + " is not known");
  }
  const Index width = config.size("hidden_size"), heads = config.size("num_attention_heads"),
              layers = config.size("num_hidden_layers"), hidden = config.size("intermediate_size");
  if (width % heads != 0) {
    config.refuse("num_attention_heads", fmt::format("{} of width {}", heads, width));
  }
  const double dropout = config.number("attention_probs_dropout_prob", 0.1);
  BertOptions options{.vocabulary = config.size("vocab_size"),
                      .context = config.size("max_position_embeddings"),
                      .segments = config.size("type_vocab_size", 2),
                      .layers = layers,
                      .stack = {.width = width,
                                .heads = heads,
                                .hidden = hidden,
                                .dropout = config.number("hidden_dropout_prob", 0.1),
                                .activation = activation(config, "hidden_act", "gelu"),
                                .eps = config.number("layer_norm_eps", 1e-12),
                                .self_heads =
                                    [=](attention::MultiHeadOptions own, Index) {
                                      own.dropout = dropout;
                                      return own;
                                    }},
                      .pooler = file.has("pooler.dense.weight"),
                      .masked_words = file.has("cls.predictions.bias")};
  file.expect("embeddings.word_embeddings.weight", {options.vocabulary, width});
  file.expect("embeddings.position_embeddings.weight", {options.context, width});
  file.expect("embeddings.token_type_embeddings.weight", {options.segments, width});
  for (Index i = 0; i < layers; ++i) {
    const std::string layer = fmt::format("encoder.layer.{}.", i);
    file.expect(layer + "attention.self.query.weight", {width, width});
    file.expect(layer + "intermediate.dense.weight", {hidden, width});
  }
  if (options.masked_words) config.want("tie_word_embeddings", true);
  const std::string next = "cls.seq_relationship.", classifier = "classifier.";
  const std::string head = file.has(classifier + "bias") ? classifier : next;
  options.classes = file.classes(head + "bias", 0);
  if (options.classes > 0) {
    file.expect("pooler.dense.weight", {width, width});
    file.expect(head + "weight", {options.classes, width});
  }
  std::vector<Rename> renames = {
      {"embeddings.word_embeddings.", "words."},
      {"embeddings.position_embeddings.", "positions."},
      {"embeddings.token_type_embeddings.", "segments."},
      {"embeddings.LayerNorm.", "norm."},
      {"embeddings.position_ids", ""},
      {"embeddings.token_type_ids", ""},
      {"encoder.layer.*.attention.output.dense.", "encoder.layers.*.self_attn.out_proj."},
      {"encoder.layer.*.attention.output.LayerNorm.", "encoder.layers.*.norm1."},
      {"encoder.layer.*.intermediate.dense.", "encoder.layers.*.linear1."},
      {"encoder.layer.*.output.dense.", "encoder.layers.*.linear2."},
      {"encoder.layer.*.output.LayerNorm.", "encoder.layers.*.norm2."},
      {"pooler.dense.", "pooler."},
      {"cls.predictions.transform.dense.", "transform."},
      {"cls.predictions.transform.LayerNorm.", "transform_norm."},
      {"cls.predictions.bias", "words_bias"},
      {"cls.predictions.decoder.weight", ""},  // the words' once more, and the bias
      {"cls.predictions.decoder.bias", ""},
      {next, "classifier."},
      {classifier, "classifier."}};
  join_heads(renames, "encoder.layer.*.attention.self.", {"query", "key", "value"},
             "encoder.layers.*.self_attn");
  return file.load<Bert>(options, renames);
}

}  // namespace heed::pretrained
