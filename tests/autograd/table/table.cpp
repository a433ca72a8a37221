#include "table.h"

namespace heed::table {

const std::vector<Row>& table() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    for (const auto& family :
         {elementwise_rows, reduce_rows, shape_rows, join_rows, index_rows, linalg_rows,
          normalise_rows, recurrent_rows, loss_rows, function_rows}) {
      for (Row& row : family()) all.push_back(std::move(row));
    }
    return all;
  }();
  return rows;
}

}  // namespace heed::table
