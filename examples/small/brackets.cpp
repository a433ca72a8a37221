// An application in one file: a Transformer reads a row of brackets, "(()))(", and says of each
// place how deep it is, or that the row is broken there. Written from docs/training.md.
//
//   ./brackets train --out model [--resume]
//   ./brackets ask --model model "(()"

#include <heed/heed.h>
#include <heed/train.h>

#include "../command_line.h"

using namespace heed;

// --- the model ---

constexpr Index kDeepest = 8, kBroken = kDeepest + 1;  // classes: depths 0 .. 8, and broken

struct Options {
  Index width = 32, layers = 2;
  void fields(io::Fields& f) {
    f.size("width", width, 4, 1024, "of the model, a multiple of 4");
    f.size("layers", layers, 1, 64, "of the model");
  }
};

class Model : public nn::Module {
 public:
  explicit Model(const Options& given) : options(given) {}
  Options options;
  nn::Embedding& words =
      child<nn::Embedding>("words", nn::EmbeddingOptions{.count = 3, .width = options.width});
  attention::TransformerEncoder& layers = child<attention::TransformerEncoder>(
      "layers", options.layers,
      attention::TransformerOptions{.width = options.width,
                                    .heads = 4,
                                    .hidden = 4 * options.width,
                                    .dropout = 0,
                                    .pre_norm = true,
                                    .rotary = true},
      true);
  nn::Linear& out = child<nn::Linear>("out", options.width, kBroken + 1);

  // Rows one behind the other, i64 [N] -> [N, classes]; a place sees what stands before it.
  Tensor operator()(const Packed& rows) const {
    const Packed x{words(rows.tokens), rows.offsets};
    return out(layers(x, {.mask = attention::Mask::causal()}).output);
  }
};

// --- everything else ---

struct Row {
  // 0 opens, 1 closes, 2 begins the row: something to look at, so that attention can count.
  std::vector<Index> ids, depths;
  Index length() const { return static_cast<Index>(ids.size()); }
};

Row row_of(const std::vector<Index>& ids) {
  Row out{{2}, {0}};
  Index depth = 0;
  for (const Index id : ids) {
    out.ids.push_back(id);
    if (depth != kBroken) depth += id == 0 ? 1 : -1;
    if (depth < 0) depth = kBroken;  // as is one place too deep
    out.depths.push_back(depth);
  }
  return out;
}

std::vector<Row> draw(Index count, std::uint64_t seed) {
  Generator generator(seed);
  std::vector<Row> out;
  for (Index i = 0; i < count; ++i) {
    std::vector<Index> ids(static_cast<std::size_t>(4 + generator.below(20)));
    for (Index& id : ids) id = generator.uniform() < 0.4;
    out.push_back(row_of(ids));
  }
  return out;
}

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

std::unique_ptr<Model> load(const std::string& folder) {
  const io::ModelFolder saved(folder, "brackets");
  return saved.make<Model>(saved.options<Options>());
}

void train_command(const Options& options, train::RunOptions flags) {
  manual_seed(1);
  const auto rows = draw(4000, 1), unseen = draw(500, 2);
  const auto model = flags.resume ? load(flags.out) : std::make_unique<Model>(options);
  optim::Adam adam(model->parameters(), {.lr = 3e-3});
  data::Loader batches(
      rows, {.tokens = 400, .packed = true, .by = &Row::length, .prefetch = 2, .seed = 3});
  flags.report = flags.out + "/report.html";
  train::Run run(*model, adam, flags);
  run.schedule(optim::rate::cosine(flags.epochs, 1e-4), train::Per::epoch)
      .files([&] { return io::ModelFiles("brackets").options(model->options).weights(*model); })
      .log(std::make_shared<train::TensorBoard>(flags.out + "/logs"))
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
  if (training.interrupted) return command_line::print_interrupted(flags.out);
  const auto best = static_cast<std::size_t>(training.best(flags.keep));
  fmt::print("accuracy {:.4f}  report {}\n", training.curve("accuracy")[best], flags.report);
}

void ask_command(const std::string& folder, const std::string& text) {
  if (text.empty() || text.find_first_not_of("()") != std::string::npos) {
    throw ValueError("ask: a row is of ( and )");
  }
  std::vector<Index> ids;
  for (const char c : text) ids.push_back(c == ')');
  const NoGrad scope;
  const Tensor scores = (*load(folder))(batch_of({row_of(ids)}).rows);
  fmt::print("{}\n", text);
  const auto depths = argmax(scores, 1).array().to_vector<Index>();
  for (std::size_t i = 1; i < depths.size(); ++i) {
    fmt::print("{}", depths[i] == kBroken ? "!" : std::to_string(depths[i]));
  }
  fmt::print("\n");
}

int main(int argc, char** argv) {
  Options options;
  train::RunOptions run{.out = "model", .epochs = 6, .clip = 1, .keep = {"accuracy"}};
  std::string row;
  CLI::App app("How deep are the brackets?");
  CLI::App* train = app.add_subcommand("train", "learn, write a report");
  CLI::App* ask = app.add_subcommand("ask", "the depth of each place, ! where the row is broken");
  command_line::add_fields(*train, options);
  command_line::add_folder(*train, "--out", run.out);
  command_line::add_size(*train, "--epochs", run.epochs, 1, "passes over the rows");
  command_line::add_stop_and_resume(*train, run.stop_after, run.resume);
  command_line::add_folder(*ask, "--model", run.out);
  ask->add_option("row", row, "of brackets")->required();
  return command_line::run("brackets", app, argc, argv, [&] {
    *train ? train_command(options, run) : ask_command(run.out, row);
  });
}
