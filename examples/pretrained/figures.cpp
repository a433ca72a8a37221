#include "figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "../../heed.h"
#include "../../pretrained/pretrained.h"

namespace others {

using namespace heed;
using namespace heed::pretrained;

namespace {

// The largest difference; what is infinite must be so on both sides.
double difference(const Tensor& x, const Tensor& y) {
  if (x.shape() != y.shape()) return std::numeric_limits<double>::infinity();
  const auto a = x.array().to(DType::f64).to_vector<double>(),
             b = y.array().to(DType::f64).to_vector<double>();
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const double apart = std::abs(a[i] - b[i]);
    most = std::isnan(apart) ? std::numeric_limits<double>::infinity() : std::max(most, apart);
  }
  return most;
}

// Every value between the letters and their successors' probabilities, block 0 step by step.
std::vector<Comparison> compare_partials(const DecoderOnly& model, const std::string& path) {
  const TensorFile file = read_tensor_json(path);
  const auto wanted = [&](const std::string& name) {
    for (const auto& [each, tensor] : file.tensors) {
      if (each == name) return tensor;
    }
    throw FormatError(path, 0, "has no " + name);
  };
  std::vector<Comparison> out;
  const auto compare = [&](const std::string& name, const Tensor& found) {
    out.push_back({"nano_sort", name, difference(found, wanted(name)), 2e-6});
    return found;
  };
  const attention::TransformerEncoderLayer& layer = model.stack.layers[0];
  const auto& heads = dynamic_cast<const attention::MultiHead&>(layer.self_attn);
  const Index H = heads.options().heads;
  const Tensor ids = wanted("idx").to(DType::i64);
  const Index B = ids.size(0), T = ids.size(1);
  const Tensor words = compare("tok_emb", model.embedding(ids));
  const Tensor places = compare("pos_emb", unsqueeze((*model.positions)(arange(T)), 0));
  const Tensor x = compare("x", words + places);
  const Tensor ln1 = compare("ln1", layer.norm1(x));
  const Tensor qkv = compare("qkv", linear(ln1, heads.in_proj_weight, heads.in_proj_bias));
  const Index width = x.size(2);
  const auto split = [&](const char* name, Index at) {
    return compare(
        name, transpose(narrow(qkv, 2, at * width, width).reshape({B, T, H, width / H}), 1, 2));
  };
  const Tensor q = split("q", 0), k = split("k", 1), v = split("v", 2);
  const attention::Terms terms{.mask = attention::Mask::causal(), .need_weights = true};
  const Tensor scores = matmul(q, transpose(k, 2, 3)) / std::sqrt(static_cast<double>(width / H));
  const Tensor hidden = tensor(-std::numeric_limits<double>::infinity(), scores.dtype());
  const Tensor later = arange(T) > unsqueeze(arange(T), 1);
  compare("att", where(later, hidden, scores));
  const attention::Attended seen = attention::attend(q, k, v, terms);
  compare("attSm", seen.weights);
  const Tensor y = compare("y", transpose(seen.context, 1, 2).reshape({B, T, width}));
  const Tensor projected = compare("yProj", heads.out_proj(y));
  const Tensor middle = compare("attnResid", x + projected);
  const Tensor ln2 = compare("ln2", layer.norm2(middle));
  const Tensor fc = compare("fc", (*layer.linear1)(ln2));
  const Tensor mlp = compare("mlp", (*layer.linear2)(compare("gelu", gelu(fc, Gelu::tanh))));
  compare("mlpResid", middle + mlp);
  Tensor block = x;
  for (std::size_t i = 0; i < model.stack.layers.size(); ++i) {
    block = compare(fmt::format("block{}", i), model.stack.layers[i](block, terms).context);
  }
  compare("ln_f", (*model.stack.norm)(block));
  const Tensor logits = compare("lm_head", model(ids));
  compare("probs", softmax(logits, -1));
  return out;
}

// Of all words of six letters among three: how many are sorted.
Index sorted_words(const DecoderOnly& model) {
  constexpr Index kLetters = 6, kWords = 729;
  std::vector<Index> letters;
  for (Index word = 0; word < kWords; ++word) {
    for (Index i = 0, rest = word; i < kLetters; ++i, rest /= 3) letters.push_back(rest % 3);
  }
  const Tensor words = Array::from(letters, Shape{kWords, kLetters});
  Tensor text = words;
  for (Index i = 0; i < kLetters; ++i) {
    text = cat({text, unsqueeze(argmax(select(model(text), 1, -1), -1), 1)}, 1);
  }
  const auto written = narrow(text, 1, kLetters, kLetters).array().to_vector<std::int64_t>();
  Index out = 0;
  for (Index word = 0; word < kWords; ++word) {
    const auto begin = letters.begin() + word * kLetters;
    std::sort(begin, begin + kLetters);
    out += std::equal(begin, begin + kLetters, written.begin() + word * kLetters) ? 1 : 0;
  }
  return out;
}

std::vector<Comparison> compare_nano_sort(const std::string& folder) {
  const auto model = read_mingpt(folder + "/model.json");
  const auto found = static_cast<double>(sorted_words(*model));
  // The limit is three bits of the largest logits in f32: what is left of it after the authors' own
  // rounding depends on the order in which a processor adds up. f64 adds nothing to it.
  model->to(DType::f64);
  std::vector<Comparison> out = compare_partials(*model, folder + "/partials.json");
  out.push_back({"nano_sort", fmt::format("words of 729 sorted, {} here, others in f64", found),
                 std::abs(found - static_cast<double>(sorted_words(*model))), 0});
  return out;
}

std::vector<Comparison> compare_stories(const std::string& folder) {
  const auto model = read_llama2c(folder + "/stories260K.bin");
  const ScoredTokens tokens(folder + "/tok512.bin", model->options().vocabulary);
  std::vector<Index> wanted;
  std::istringstream ids(io::read_file(folder + "/ids.txt"));
  for (Index id = 0; ids >> id;) wanted.push_back(id);
  Generator generator(0);
  const std::vector<Index> found =
      write(*model, {ScoredTokens::kBegin}, {.length = std::ssize(wanted) + 1}, generator);
  double other = found.size() == wanted.size() + 1 ? 0 : 1;  // the text has one more
  for (std::size_t i = 0; i < std::min(found.size(), wanted.size()); ++i) {
    other += found[i] != wanted[i] ? 1 : 0;
  }
  std::vector<Comparison> out{{"stories260k", "other tokens of the text", other, 0}};
  std::string text = tokens.decode(found), said = io::read_file(folder + "/text.txt");
  while (!said.empty() && said.back() == '\n') said.pop_back();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  out.push_back({"stories260k", "the text itself", text == said ? 0.0 : 1.0, 0});

  std::istringstream lines(io::read_file(folder + "/logits.txt"));
  std::string word;
  std::vector<Index> read;
  double worst = 0;
  DecoderOnly::State state;
  for (Index place = 0, token = 0; lines >> word >> place >> word >> token;) {
    const auto scores = model->step(Array::from(std::vector<Index>{token}, Shape{1, 1}), state)
                            .array()
                            .to_vector<float>();
    for (const float each : scores) {
      double said_here = 0;
      if (!(lines >> said_here)) throw FormatError(folder + "/logits.txt", 0, "too few numbers");
      worst = std::max(worst, std::abs(said_here - static_cast<double>(each)));
    }
    read.push_back(token);
  }
  out.push_back({"stories260k", fmt::format("logits of {} places", read.size()), worst, 1e-4});
  return out;
}

// What the tests of CTranslate2 say that the model writes, greedily and by beams.
std::vector<Comparison> compare_aren(const std::string& folder) {
  const Translator model = read_ctranslate2(folder);
  const pretrained::Words word = {"آ", "ت", "ز", "م", "و", "ن"};
  std::vector<Comparison> out;
  const auto letters = [](const pretrained::Words& words) {
    std::string text;
    for (const std::string& each : words) text += each;
    return text;
  };
  for (const Index beam : {1, 4}) {
    const auto numbers = [&](const pretrained::Words& words) {
      return Translator::ids(model.target_words, words);
    };
    const auto compare = [&](const std::string& what, const std::vector<pretrained::Words>& sources,
                             const std::vector<std::string>& wanted,
                             nn::BeamSearchOptions options) {
      options.beam = options.n_best = beam;
      const auto found = model.translate(sources, options);
      double other = 0;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        other += letters(model.words(found[i][0])) == wanted[i] ? 0 : 1;
      }
      out.push_back({"aren", fmt::format("{}, beam {}", what, beam), other, 0});
      return found;
    };
    const nn::BeamSearchOptions plain{.begin = -1, .end = -1};
    compare("two words", {word, {"آ", "ز", "ا"}}, {"atzmon", "azza"}, plain);
    nn::BeamSearchOptions options = plain;
    options.prefixes = {numbers({"a", "t", "s"})};
    compare("behind a prefix", {word}, {"atsumon"}, options);
    options = plain;
    options.suppressed = {numbers({"o"}), numbers({"t", "z", "m"})};
    compare("without o and tzm", {word}, {"atzumun"}, options);
    options = plain;
    options.end = numbers({"m"})[0];
    compare("to the first m", {word}, {"atz"}, options);
    options = plain;
    options.longest = {3};
    compare("three letters at most", {word}, {"atz"}, options);
    options = plain;
    options.shortest = options.longest.emplace_back(100);
    compare("a hundred letters", {word},
            {beam == 1
                 ? "atzmonenenehehehehennehehehtehehehehehtememehounehehehehehehehumennnnehtamennnn"
                   "nnehumoumehehehehehen"
                 : "atzmonetenehehehennnehehehennnnnehehehehoumehehehehehehehehaumehumennehtamennn"
                   "nnne'tamennneheheheheh"},
            options);
    options = plain;
    options.beam = beam;
    options.repetition_penalty = 100;
    auto found = model.translate({pretrained::Words(5, "ن")}, options)[0][0].words;
    std::sort(found.begin(), found.end());
    const bool twice = std::adjacent_find(found.begin(), found.end()) != found.end();
    out.push_back({"aren", "letters twice, all new by penalty", twice ? 1.0 : 0.0, 0});
  }
  return out;
}

}  // namespace

std::vector<Comparison> compare_figures(const std::string& folder) {
  const NoGrad scope;
  std::vector<Comparison> out;
  const auto add = [&](const char* name, auto compare) {
    const std::string own = folder + "/" + name;
    std::error_code none;
    if (!std::filesystem::is_directory(own, none)) return;
    const std::vector<Comparison> found = compare(own);
    out.insert(out.end(), found.begin(), found.end());
  };
  add("nano_sort", compare_nano_sort);
  add("stories260k", compare_stories);
  add("aren", compare_aren);
  if (out.empty()) throw IoError(folder, "find a model in", ENOENT);
  return out;
}

}  // namespace others
