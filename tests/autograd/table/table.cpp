#include "table.h"

namespace heed::table {

const std::vector<Row>& table() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    for (const auto& family :
         {elementwise_rows, activation_rows, reduce_rows,    statistics_rows,  cumulative_rows,
          sort_rows,        shape_rows,      slicing_rows,   triangle_rows,    join_rows,
          arrange_rows,     pad_rows,        unfold_rows,    index_rows,       mask_index_rows,
          linalg_rows,      einsum_rows,     normalise_rows, norm_rows,        conv_rows,
          pool_rows,        recurrent_rows,  loss_rows,      margin_loss_rows, ctc_rows,
          gate_rows,        function_rows}) {
      for (Row& row : family()) all.push_back(std::move(row));
    }
    return all;
  }();
  return rows;
}

}  // namespace heed::table
