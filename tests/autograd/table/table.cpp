#include "table.h"

namespace heed::table {
namespace {

struct File {
  const char* family;
  std::vector<Row> (*rows)();
};

constexpr File kFiles[] = {
    {"elementwise", elementwise_rows},
    {"elementwise", trigonometry_rows},
    {"activation", activation_rows},
    {"activation", gate_rows},
    {"activation", composed_activation_rows},
    {"reductions", reduce_rows},
    {"statistics", statistics_rows},
    {"cumulative", cumulative_rows},
    {"sort", sort_rows},
    {"shape", shape_rows},
    {"shape", slicing_rows},
    {"shape", triangle_rows},
    {"shape", join_rows},
    {"shape", arrange_rows},
    {"shape", pad_rows},
    {"shape", unfold_rows},
    {"shape", composed_shape_rows},
    {"indexing", index_rows},
    {"indexing", mask_index_rows},
    {"indexing", grid_sample_rows},
    {"packed", packed_rows},
    {"linear_algebra", linalg_rows},
    {"linear_algebra", einsum_rows},
    {"linear_algebra", inverse_rows},
    {"normalising", normalise_rows},
    {"norms", norm_rows},
    {"attention", attention_rows},
    {"convolution", conv_rows},
    {"convolution", conv3d_rows},
    {"convolution", resize_rows},
    {"pooling", pool_rows},
    {"recurrent", recurrent_rows},
    {"losses", loss_rows},
    {"losses", probability_loss_rows},
    {"losses", margin_loss_rows},
    {"losses", ctc_rows},
    {"functions", function_rows},
};

}  // namespace

const std::vector<Row>& table() {
  // Never destroyed: ctest starts a process a test, and most look at a row or none.
  static const std::vector<Row>& rows = *new std::vector<Row>([] {
    std::vector<Row> all;
    for (const File& file : kFiles) {
      for (Row& row : file.rows()) {
        row.family = file.family;
        all.push_back(std::move(row));
      }
    }
    return all;
  }());
  return rows;
}

std::vector<const Row*> rows() {
  std::vector<const Row*> out;
  for (const Row& row : table()) out.push_back(&row);
  return out;
}

std::vector<std::string> families() {
  std::vector<std::string> out;
  for (const File& file : kFiles) {
    if (out.empty() || out.back() != file.family) out.push_back(file.family);
  }
  return out;
}

}  // namespace heed::table
