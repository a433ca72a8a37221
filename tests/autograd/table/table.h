// The gradient table: one row for each operator of the closed list.
#pragma once

#include "row.h"

namespace heed::table {

std::vector<Row> elementwise_rows();
std::vector<Row> reduce_rows();
std::vector<Row> shape_rows();
std::vector<Row> join_rows();
std::vector<Row> index_rows();
std::vector<Row> linalg_rows();
std::vector<Row> normalise_rows();
std::vector<Row> recurrent_rows();
std::vector<Row> loss_rows();
std::vector<Row> function_rows();

/// All of them, in the order of the list's families.
const std::vector<Row>& table();

}  // namespace heed::table
