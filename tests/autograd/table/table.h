// The gradient table: one row for each operator of the closed list.
#pragma once

#include "row.h"

namespace heed::table {

std::vector<Row> elementwise_rows();
std::vector<Row> activation_rows();
std::vector<Row> reduce_rows();
std::vector<Row> statistics_rows();
std::vector<Row> cumulative_rows();
std::vector<Row> sort_rows();
std::vector<Row> shape_rows();
std::vector<Row> slicing_rows();
std::vector<Row> triangle_rows();
std::vector<Row> join_rows();
std::vector<Row> arrange_rows();
std::vector<Row> pad_rows();
std::vector<Row> unfold_rows();
std::vector<Row> index_rows();
std::vector<Row> mask_index_rows();
std::vector<Row> grid_sample_rows();
std::vector<Row> packed_rows();
std::vector<Row> linalg_rows();
std::vector<Row> einsum_rows();
std::vector<Row> inverse_rows();
std::vector<Row> normalise_rows();
std::vector<Row> norm_rows();
std::vector<Row> attention_rows();
std::vector<Row> conv_rows();
std::vector<Row> conv3d_rows();
std::vector<Row> resize_rows();
std::vector<Row> trigonometry_rows();
std::vector<Row> probability_loss_rows();
std::vector<Row> composed_shape_rows();
std::vector<Row> composed_activation_rows();
std::vector<Row> pool_rows();
std::vector<Row> recurrent_rows();
std::vector<Row> loss_rows();
std::vector<Row> margin_loss_rows();
std::vector<Row> ctc_rows();
std::vector<Row> gate_rows();
std::vector<Row> function_rows();

/// All of them, in the order of the list's families.
const std::vector<Row>& table();
/// Where they are: as parameters of tests, of which each keeps a copy.
std::vector<const Row*> rows();
/// The names of its families, once each.
std::vector<std::string> families();

}  // namespace heed::table
