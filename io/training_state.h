// What a training run is at one moment, as a file of a model directory (model_directory.h): with it
// a run goes on as if it had never stopped, to the same bits.
//
//   io::TrainingState state(model, adam);         auto state = io::TrainingState::read(folder);
//   state.put("steps", steps);                    steps = state.count("steps");
//   state.put("order", order);                    state.get("order", order);
//   state.put("figures", figures);                state.get("figures", figures);
//   save_training(folder, state.encode(), files,  state.restore(model, adam);
//                 is_the_best);
//
// The entries: "model.KEY" and "optimizer.KEY" of state_dict(), "random" of the default generator,
// and what was put. What is missing, of another kind or does not fit is a FormatError of the file;
// what it should have been read into is then as it was.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../core/generator.h"
#include "../nn/module.h"
#include "../optim/optimizer.h"
#include "model_directory.h"
#include "safetensors.h"

namespace heed::io {

inline constexpr const char* kTrainingFile = "training.safetensors";

/// Saves a run (TrainingState::encode()) beside its best model. `model`: the files of the model as
/// it is now, written when it is the best so far, and else those that the folder lacks: a folder
/// that was deleted in mid-training is made anew, whole. Throws IoError.
void save_training(const std::string& folder, std::string state, DirectoryFiles model, bool best);

/// A double, or a struct of nothing but doubles.
template <class T>
concept Figures = std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0 &&
                  requires(double x) {
  T{x};
};

class TrainingState {
 public:
  /// Nothing yet.
  TrainingState() = default;
  /// A run of this model. The arrays are not copied: encode() before the next step.
  TrainingState(const nn::Module& model, const optim::Optimizer& optimizer);
  /// The file of the folder. Throws IoError, FormatError.
  static TrainingState read(const std::string& folder);
  /// What encode() made. Throws FormatError in `path`'s name.
  static TrainingState decode(std::string_view bytes, const std::string& path);

  /// The file's content. Throws ValueError for a name that was put twice.
  std::string encode() const;
  /// Puts weights, optimizer and default generator back, all or none of them: last, after all that
  /// may be refused.
  void restore(nn::Module& model, optim::Optimizer& optimizer) const;

  /// More modules or optimizers, averages, schedules: whatever has a state_dict(). An entry's name
  /// is "NAME.KEY".
  void put(const std::string& name, const NamedArrays& arrays);
  void put(const std::string& name, const nn::NamedTensors& tensors);
  /// Those that there are, under their keys and with the dtypes they were put with: none for an
  /// unknown name.
  NamedArrays arrays(const std::string& name) const;
  nn::NamedTensors tensors(const std::string& name) const;

  void put(const std::string& name, const Generator& generator);
  void get(const std::string& name, Generator& generator) const;

  void put(const std::string& name, std::int64_t count);
  /// Throws FormatError also outside [least, most].
  std::int64_t count(const std::string& name, std::int64_t least = 0,
                     std::int64_t most = std::numeric_limits<int>::max()) const;

  void put(const std::string& name, const std::string& text);
  /// Throws FormatError also for what does not fit a line: 1000 bytes, none of them control.
  const std::string& text(const std::string& name) const;
  bool has_text(const std::string& name) const { return texts_.contains(name); }

  template <Figures Row>
  void put(const std::string& name, const std::vector<Row>& rows);
  template <Figures Row>
  void get(const std::string& name, std::vector<Row>& rows) const;
  /// As one row.
  template <Figures Row>
  void put(const std::string& name, const Row& row) {
    put(name, std::vector<Row>{row});
  }
  template <Figures Row>
  void get(const std::string& name, Row& row) const;

  const std::string& path() const { return path_; }
  /// Throws the FormatError of what was found to make no sense.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  /// Throws FormatError unless it is there with this dtype and shape; a size of -1 is any.
  Array find(const std::string& name, DType dtype, const Shape& shape) const;

  std::string path_ = kTrainingFile;
  NamedArrays arrays_;
  std::map<std::string, std::string> texts_;
};

template <Figures Row>
void TrainingState::put(const std::string& name, const std::vector<Row>& rows) {
  constexpr std::size_t kColumns = sizeof(Row) / sizeof(double);
  std::vector<double> numbers;
  for (const Row& row : rows) {
    for (const double x : std::bit_cast<std::array<double, kColumns>>(row)) numbers.push_back(x);
  }
  arrays_.emplace_back(name, Array::from(numbers, {static_cast<Index>(rows.size()), kColumns}));
}

template <Figures Row>
void TrainingState::get(const std::string& name, std::vector<Row>& rows) const {
  std::array<double, sizeof(Row) / sizeof(double)> columns;
  const auto numbers =
      find(name, DType::f64, {-1, static_cast<Index>(columns.size())}).template to_vector<double>();
  rows.clear();
  for (std::size_t i = 0; i < numbers.size(); i += columns.size()) {
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = numbers[i + k];
    rows.push_back(std::bit_cast<Row>(columns));
  }
}

template <Figures Row>
void TrainingState::get(const std::string& name, Row& row) const {
  std::vector<Row> rows;
  get(name, rows);
  if (rows.size() != 1)
    refuse("\"" + name + "\" has " + std::to_string(rows.size()) + " rows, not 1");
  row = rows[0];
}

}  // namespace heed::io
