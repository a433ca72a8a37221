// Word vectors: skip-gram over generated reviews, or over texts of yours, and which words are near
// which. `--out` writes them as word2vec does, a word and its numbers a line, for a model to begin
// with (examples/aspects).
#include <heed/heed.h>

#include "../../core/error.h"
#include "../../core/quoted.h"
#include "../../io/file.h"
#include "../command_line.h"

using namespace heed;
using Words = std::vector<std::string>;

struct Options {
  std::vector<std::string> tables, tagged;  // files
  Words asked;
  Index column = 4, repeats = 8, least = 5;
  data::SkipGramOptions learning = {.width = 100, .epochs = 3};
  std::uint64_t seed = 1;
  std::string out;
};

// Of texts the sentences; what is tagged stands for the language that the vectors are wanted for,
// and counts several times.
std::vector<Words> texts_of(const Options& options) {
  std::vector<Words> texts;
  const auto add = [&](const std::vector<data::TaggedSentence>& sentences) {
    for (Index i = 0; i < options.repeats; ++i) {
      for (const data::TaggedSentence& sentence : sentences) texts.push_back(sentence.words);
    }
  };
  for (const std::string& path : options.tagged) add(data::read_iob(path, 2));
  for (const std::string& path : options.tables) {
    data::TsvReader reader(path, "", std::to_string(options.column));
    for (data::LabelledText text; reader.next(text);) {
      for (const auto sentence : data::split_sentences(text.text)) {
        texts.push_back(data::split_contractions(data::tokenize(sentence)));
      }
    }
  }
  Generator generator(options.seed);
  if (texts.empty()) add(data::tell_opinions(1000, generator));
  return texts;
}

// What is asked is refused now, not after the training.
void check_known(const Words& asked, const std::vector<Words>& texts, Index least) {
  for (const std::string& word : asked) {
    Index seen = 0;
    for (const Words& text : texts) seen += std::count(text.begin(), text.end(), word);
    if (seen < least) throw ValueError("the word " + in_quotes(word) + " is unknown");
  }
}

// The words whose vectors have the largest cosines with that of `word`.
std::string nearest(const data::WordVectors& vectors, const std::string& word) {
  const Index id = vectors.vocabulary.id(word), most = std::min<Index>(8, vectors.rows.size(0));
  const Tensor rows(vectors.rows);
  const Tensor unit = rows / clamp(norm(rows, 2, {1}, true), 1e-12);
  std::string out = word + ":";
  int found = 0;  // five, but for the word itself and what stands for no word
  for (const Index near : topk(matmul(unit, unit[id]), most).indices.array().to_vector<Index>()) {
    if (near == id || near <= data::Vocabulary::kUnknown || ++found > 5) continue;
    out += ' ' + vectors.vocabulary.word(near);
  }
  return out;
}

void learn(const Options& options) {
  Generator generator(options.seed);
  const std::vector<Words> texts = texts_of(options);
  Words asked = options.asked;
  if (asked.empty() && options.tables.empty() && options.tagged.empty()) {
    asked = {"soup", "rude", "friday"};
  }
  check_known(asked, texts, options.least);
  const auto vectors = data::learn_word_vectors(texts, options.least, options.learning, generator);
  if (!options.out.empty()) io::write_file_atomically(options.out, data::to_text(vectors));
  fmt::print("{} words\n", vectors.vocabulary.size());
  for (const std::string& word : asked) fmt::print("{}\n", nearest(vectors, word));
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Vectors of words, and which are near which");
  CLI::App* learning = app.add_subcommand("learn", "from generated reviews, or from files");
  learning->add_option("--text", options.tables, "tables of texts, tab-separated");
  learning->add_option("--tagged", options.tagged, "tagged sentences, as examples/aspects reads");
  learning->add_option(
      "--near", options.asked,
      "words whose neighbours are wanted; left out: some of the generated reviews'");
  learning->add_option("--out", options.out, "the vectors' file; left out: none");
  command_line::add_seed(*learning, options.seed);
  command_line::add_size(*learning, "--column", options.column, 1, 1000, "of the texts, from 1");
  command_line::add_size(*learning, "--repeats", options.repeats, 1, 1000,
                         "a tagged sentence counts as so many others");
  command_line::add_size(*learning, "--least", options.least, 1,
                         "words seen less often are unknown");
  command_line::add_size(*learning, "--width", options.learning.width, 1, 1 << 12, "of a vector");
  command_line::add_size(*learning, "--passes", options.learning.epochs, 1, "over the texts");
  return command_line::run("vectors", app, argc, argv, [&] { learn(options); });
}
