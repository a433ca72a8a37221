#include "ctranslate2.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "../autograd/grad_mode.h"
#include "../core/error.h"
#include "../core/quoted.h"
#include "../data/line_reader.h"
#include "ctranslate2_file.h"
#include "renamed.h"

namespace heed::pretrained {
namespace {

std::vector<Rename> renames() {
  std::vector<Rename> out{
      {"encoder/embeddings/", "source."},
      {"decoder/embeddings/", "target."},
      {"decoder/projection/", "projection."},
      {"decoder/layer_*/attention/linear_0/", "decoder.layers.*.multihead_attn.in_proj_", false, 0},
      {"decoder/layer_*/attention/linear_1/", "decoder.layers.*.multihead_attn.in_proj_", false, 1},
      {"decoder/layer_*/attention/linear_2/", "decoder.layers.*.multihead_attn.out_proj."}};
  for (const std::string stack : {"encoder", "decoder"}) {
    const std::string from = stack + "/layer_*/", to = stack + ".layers.*.";
    const auto norm = [&](const std::string& theirs, const std::string& ours) {
      out.push_back({theirs + "layer_norm/gamma", ours + ".weight"});
      out.push_back({theirs + "layer_norm/beta", ours + ".bias"});
    };
    norm(stack + "/", stack + ".norm");
    norm(from + "self_attention/", to + "norm1");
    norm(from + "attention/", to + "norm2");
    norm(from + "ffn/", to + (stack == "encoder" ? "norm2" : "norm3"));
    out.push_back({from + "self_attention/linear_0/", to + "self_attn.in_proj_"});
    out.push_back({from + "self_attention/linear_1/", to + "self_attn.out_proj."});
    out.push_back({from + "ffn/linear_0/", to + "linear1."});
    out.push_back({from + "ffn/linear_1/", to + "linear2."});
  }
  return out;
}

Words read_words(const std::string& path) {
  Words out, lines;
  for (data::LineReader reader(path); reader.next(lines);) {
    out.insert(out.end(), lines.begin(), lines.end());
  }
  return out;
}

// Layers are counted by their first parts, so that no number of a file is believed.
Index layers(const CTranslate2Variables& variables, const std::string& stack) {
  Index out = 0;
  while (variables.contains(fmt::format("{}/layer_{}/ffn/linear_0/weight", stack, out))) ++out;
  return out;
}

}  // namespace

Translator read_ctranslate2(const std::string& folder, Index heads) {
  const std::string path = folder + "/model.bin";
  const CTranslate2Variables variables = read_ctranslate2_file(path);
  const auto size = [&](const std::string& name, Index axis) {
    const auto found = variables.find(name);
    if (found == variables.end() || found->second.rank() != 2 || found->second.numel() == 0) {
      throw FormatError(path, 0, name + " must be there, a matrix");
    }
    return found->second.size(axis);
  };
  const Index width = size("encoder/embeddings/weight", 1);
  const Index encoder_layers = layers(variables, "encoder"),
              decoder_layers = layers(variables, "decoder");
  if (heads < 1 || width % (2 * heads) != 0 || width < 4 || encoder_layers == 0 ||
      decoder_layers == 0) {
    throw FormatError(path, 0,
                      fmt::format("{} and {} layers of width {} with {} heads", encoder_layers,
                                  decoder_layers, width, heads));
  }
  const std::string target = "decoder/embeddings/weight";
  if (size(target, 1) != width) {
    throw FormatError(path, 0,
                      fmt::format("{}: of width {}, not {}", target, size(target, 1), width));
  }
  const Index hidden = size("encoder/layer_0/ffn/linear_0/weight", 0);
  for (const std::string stack : {"encoder", "decoder"}) {
    for (Index i = 0; i < layers(variables, stack); ++i) {
      const std::string name = fmt::format("{}/layer_{}/ffn/linear_0/weight", stack, i),
                        attention =
                            fmt::format("{}/layer_{}/self_attention/linear_0/weight", stack, i);
      if (size(name, 0) != hidden || size(name, 1) != width || size(attention, 0) != 3 * width ||
          size(attention, 1) != width) {
        throw FormatError(path, 0, name + ": another shape than that of the first layer");
      }
    }
  }
  const SequenceModelOptions options{
      .source_words = size("encoder/embeddings/weight", 0),
      .target_words = size(target, 0),
      .encoder_layers = encoder_layers,
      .decoder_layers = decoder_layers,
      .stack = {.width = width, .heads = heads, .hidden = hidden, .dropout = 0, .pre_norm = true},
      .final_norm = true,
      .scale = std::sqrt(static_cast<double>(width)),
      .first_position = 1,
      .last_is_slowest = true,
      .projection_bias = true};
  Translator out{
      load_renamed<SequenceModel>(options, nn::NamedTensors(variables.begin(), variables.end()),
                                  path, renames()),
      read_words(folder + "/source_vocabulary.txt"), read_words(folder + "/target_vocabulary.txt")};
  const auto check = [&](const Words& words, Index wanted, const char* file) {
    // Words that nobody knows have the last number, which is not in the file.
    if (std::ssize(words) + 1 == wanted || std::ssize(words) == wanted) return;
    throw FormatError(folder + "/" + file, 0,
                      fmt::format("{} words for a model of {}", words.size(), wanted));
  };
  check(out.source_words, options.source_words, "source_vocabulary.txt");
  check(out.target_words, options.target_words, "target_vocabulary.txt");
  for (auto [words, wanted] : {std::pair(&out.source_words, options.source_words),
                               std::pair(&out.target_words, options.target_words)}) {
    if (std::ssize(*words) < wanted) words->push_back("<unk>");
  }
  return out;
}

std::vector<Index> Translator::ids(const Words& vocabulary, const Words& words) {
  std::vector<Index> out;
  for (const std::string& word : words) {
    const auto found = std::find(vocabulary.begin(), vocabulary.end(), word);
    if (found == vocabulary.end()) throw ValueError("translator: no word " + in_quotes(word));
    out.push_back(found - vocabulary.begin());
  }
  return out;
}

std::vector<std::vector<nn::Hypothesis>> Translator::translate(
    const std::vector<Words>& sources, nn::BeamSearchOptions options) const {
  if (sources.empty()) return {};
  if (options.begin < 0) options.begin = ids(target_words, {"<s>"})[0];
  if (options.end < 0) options.end = ids(target_words, {"</s>"})[0];
  std::vector<Index> lengths, all;
  for (const Words& source : sources) {
    if (source.empty()) throw ValueError("translator: a source has no word");
    lengths.push_back(std::ssize(source));
  }
  const Index longest = *std::max_element(lengths.begin(), lengths.end());
  for (const Words& source : sources) {
    std::vector<Index> row = ids(source_words, source);
    row.resize(static_cast<std::size_t>(longest), 0);
    all.insert(all.end(), row.begin(), row.end());
  }
  const NoGrad scope;
  const auto decoding =
      model->start(Array::from(all, Shape{std::ssize(sources), longest}), lengths);
  return nn::beam_search(*decoding, std::ssize(sources), options);
}

Words Translator::words(const nn::Hypothesis& hypothesis) const {
  Words out;
  for (const Index word : hypothesis.words) {
    out.push_back(target_words[static_cast<std::size_t>(word)]);
  }
  return out;
}

}  // namespace heed::pretrained
