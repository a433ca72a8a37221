// An application in one file: a Transformer reads rows of brackets, "([{}])(", and says of each place
// how deep it is, or that the row is broken there. Written from docs/training.md.
//
//   ./brackets train --out model [--resume]
//   ./brackets ask --model model "([]{"

#include <heed/heed.h>
#include <heed/train.h>

#include "../command_line.h"

using namespace heed;

const std::string kBrackets = "()[]{}";
constexpr Index kDeepest = 6, kBroken = kDeepest + 1, kClasses = kDeepest + 2;

struct Row {
  std::vector<Index> ids, depths;
  Index length() const { return static_cast<Index>(ids.size()); }
};

// From the first bracket on that closes nothing, the row is broken.
std::vector<Index> depths_of(const std::vector<Index>& ids) {
  std::vector<Index> open, out;
  bool broken = false;
  for (const Index id : ids) {
    const bool opens = id % 2 == 0, closes = !opens && !open.empty() && open.back() + 1 == id;
    if (opens) open.push_back(id);
    if (closes) open.pop_back();
    broken = broken || !(opens || closes) || static_cast<Index>(open.size()) > kDeepest;
    out.push_back(broken ? kBroken : static_cast<Index>(open.size()));
  }
  return out;
}

std::vector<Row> draw(Index count, std::uint64_t seed) {
  Generator generator(seed);
  std::vector<Row> out(static_cast<std::size_t>(count));
  for (auto& [ids, depths] : out) {
    std::vector<Index> open;
    for (Index t = 4 + generator.below(20); t > 0; --t) {
      if (!open.empty() && generator.uniform() < 0.5) {
        ids.push_back(open.back() + 1);
        open.pop_back();
      } else {
        open.push_back(2 * generator.below(3));
        ids.push_back(open.back());
      }
      if (generator.uniform() < 0.02) ids.back() = generator.below(6);  // a mistake
    }
    depths = depths_of(ids);
  }
  return out;
}

struct Options {
  Index width = 32, layers = 2;
  void fields(io::Fields& f) {
    f.size("width", width, 4, 1024, "of the model, a multiple of 4");
    f.size("layers", layers, 1, 64, "of the model");
  }
};

// --- the model ---
class Model : public nn::Module {
 public:
  explicit Model(const Options& given) : options(given) {}
  Options options;
  nn::Embedding& words =
      child<nn::Embedding>("words", nn::EmbeddingOptions{.count = 6, .width = options.width});
  attention::TransformerEncoder& layers = child<attention::TransformerEncoder>(
      "layers", options.layers,
      attention::TransformerOptions{.width = options.width,
                                    .heads = 4,
                                    .hidden = 4 * options.width,
                                    .dropout = 0,
                                    .pre_norm = true,
                                    .rotary = true},
      true);
  nn::Linear& out = child<nn::Linear>("out", options.width, kClasses);

  // Rows one behind the other, i64 [N] -> [N, classes]; a place sees what stands before it.
  Tensor operator()(const Packed& rows) const {
    return out(layers(Packed{words(rows.tokens), rows.offsets}, {.mask = attention::Mask::causal()})
                   .output);
  }
};

struct Batch {
  Packed rows;
  Tensor depths;
};

Batch batch_of(const std::vector<Row>& rows) {
  std::vector<Index> ids, depths, lengths;
  for (const Row& row : rows) {
    ids.insert(ids.end(), row.ids.begin(), row.ids.end());
    depths.insert(depths.end(), row.depths.begin(), row.depths.end());
    lengths.push_back(row.length());
  }
  return {{Array::from(ids), offsets_of(lengths)}, Array::from(depths)};
}

// --- everything else ---
struct Flags {
  Options model;
  train::RunOptions run{.out = "model", .epochs = 8, .clip = 1, .keep = {"accuracy"}};
  std::string folder = "model", text;
};

void train_command(Flags& flags) {
  manual_seed(1);
  const auto rows = draw(4000, 1), unseen = draw(500, 2);
  std::unique_ptr<Model> model = std::make_unique<Model>(flags.model);
  if (flags.run.resume) {
    const io::ModelFolder saved(flags.run.out, "brackets");
    model = saved.make<Model>(saved.options<Options>());
  }
  optim::Adam adam(model->parameters(), {.lr = 3e-3});
  data::Loader batches(
      rows, {.tokens = 400, .packed = true, .by = &Row::length, .prefetch = 2, .seed = 3});
  flags.run.report = flags.run.out + "/report.html";
  train::Run run(*model, adam, flags.run);
  run.files([&] { return io::ModelFiles("brackets").options(model->options).weights(*model); })
      .schedule(optim::rate::cosine(flags.run.epochs, 1e-4), train::Per::epoch)
      .validate([&]() -> train::Figures {
        const Batch all = batch_of(unseen);
        const Tensor scores = (*model)(all.rows);
        return {{"validation loss", cross_entropy(scores, all.depths).item()},
                {"accuracy", mean(to(argmax(scores, 1) == all.depths, DType::f64)).item()}};
      });
  const train::Training training = run(batches, [&](const std::vector<Row>& some) {
    const Batch batch = batch_of(some);
    return cross_entropy((*model)(batch.rows), batch.depths);
  });
  if (training.interrupted) return command_line::print_interrupted(flags.run.out);
  const auto best = static_cast<std::size_t>(training.best(flags.run.keep));
  fmt::print("accuracy {:.4f}  report {}\n", training.curve("accuracy")[best], flags.run.report);
}

void ask_command(const Flags& flags) {
  const io::ModelFolder saved(flags.folder, "brackets");
  const auto model = saved.make<Model>(saved.options<Options>());
  Row row;
  for (const char c : flags.text) row.ids.push_back(static_cast<Index>(kBrackets.find(c)));
  if (flags.text.empty() || flags.text.find_first_not_of(kBrackets) != std::string::npos) {
    throw ValueError("ask: the row must be some of " + kBrackets);
  }
  row.depths = depths_of(row.ids);
  const NoGrad scope;
  const auto found = argmax((*model)(batch_of({row}).rows), 1).array().to_vector<Index>();
  fmt::print("{}\n", flags.text);
  for (const Index depth : found) fmt::print("{}", depth == kBroken ? "!" : std::to_string(depth));
  fmt::print("\n");
}

int main(int argc, char** argv) {
  Flags flags;
  CLI::App app("How deep are the brackets?");
  CLI::App* train = app.add_subcommand("train", "learn, write a report");
  CLI::App* ask = app.add_subcommand("ask", "the depth of each place, ! where the row is broken");
  command_line::add_fields(*train, flags.model);
  command_line::add_folder(*train, "--out", flags.run.out);
  command_line::add_size(*train, "--epochs", flags.run.epochs, 1, "passes over the rows");
  command_line::add_stop_and_resume(*train, flags.run.stop_after, flags.run.resume);
  command_line::add_folder(*ask, "--model", flags.folder);
  ask->add_option("row", flags.text, "of brackets")->required();
  return command_line::run("brackets", app, argc, argv, [&] {
    if (*train) train_command(flags);
    if (*ask) ask_command(flags);
  });
}
