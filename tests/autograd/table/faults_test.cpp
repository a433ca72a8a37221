// The check is checked: derivatives with faults planted in them, each of which it must find. The
// right derivative stands beside the wrong one, and must pass.
#include <gtest/gtest.h>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/record.h"
#include "../../../core/generator.h"
#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../../core/kernels/gemm/matmul.h"
#include "../../../core/kernels/reduce/reduce.h"
#include "row.h"

namespace heed::table {
namespace {

using T = const Tensor&;
using X = const Tensors&;

/// A function whose derivative is right without the fault and wrong with it.
struct Plant {
  const char* name;
  std::vector<std::vector<Index>> shapes;
  std::function<Tensor(X, bool fault)> call;
  bool second_order = false;  ///< only the second derivative is wrong
};

void PrintTo(const Plant& plant, std::ostream* out) { *out << plant.name; }

Array product(const Array& x, const Array& y) {
  return kernels::binary(kernels::Binary::mul, x, y);
}

// x y with a rule of the plant's for each side.
template <class Left, class Right>
Tensor product_with(T x, T y, const Left& left, const Right& right) {
  return record(Op::mul, product(x.array(), y.array()), {x, y}, left, right);
}

std::vector<Plant> plants() {
  const auto whole = [](T g) { return g; };
  std::vector<Plant> all;
  const auto plant = [&](const char* name, std::vector<std::vector<Index>> shapes, auto call) {
    all.push_back({name, std::move(shapes), call});
  };
  const auto plant_second = [&](const char* name, std::vector<std::vector<Index>> shapes,
                                auto call) {
    all.push_back({name, std::move(shapes), call, true});
  };

  plant("factor", {{3, 5}}, [](X x, bool fault) {
    return record(Op::neg, (-x[0]).array(), {x[0]}, [=](T g) { return fault ? -1.001 * g : -g; });
  });
  plant("factor_of_a_millionth_more_than_the_tolerance", {{3, 5}}, [](X x, bool fault) {
    return record(Op::neg, (-x[0]).array(), {x[0]},
                  [=](T g) { return fault ? -(1 + 3e-6) * g : -g; });
  });
  plant("sign", {{3, 5}, {3, 5}}, [=](X x, bool fault) {
    return record(Op::sub, (x[0] - x[1]).array(), {x[0], x[1]}, whole,
                  [=](T g) { return fault ? g : -g; });
  });
  plant("constant_added", {{3, 5}}, [](X x, bool fault) {
    return record(Op::square, square(x[0]).array(), {x[0]},
                  [=, x = Saved(x[0])](T g) { return 2 * g * x() + (fault ? 1e-3 : 0); });
  });
  plant("sum_over_a_broadcast_axis_missing", {{3, 1}, {3, 5}}, [](X x, bool fault) {
    return product_with(
        x[0], x[1],
        [=, y = Saved(x[1])](T g) { return fault ? narrow(g * y(), 1, 0, 1) : g * y(); },
        [x = Saved(x[0])](T g) { return g * x(); });
  });
  plant("mean_over_a_broadcast_axis", {{1, 5}, {3, 5}}, [](X x, bool fault) {
    return product_with(
        x[0], x[1],
        [=, y = Saved(x[1])](T g) { return fault ? mean(g * y(), {0}, true) : g * y(); },
        [x = Saved(x[0])](T g) { return g * x(); });
  });
  plant("operands_swapped", {{3, 5}, {3, 5}}, [](X x, bool fault) {
    return product_with(
        x[0], x[1], [=, x = Saved(x[0]), y = Saved(x[1])](T g) { return g * (fault ? x() : y()); },
        [x = Saved(x[0])](T g) { return g * x(); });
  });
  plant("second_use_dropped", {{3, 5}}, [](X x, bool fault) {
    return product_with(
        x[0], fault ? x[0].detach() : x[0], [y = Saved(x[0])](T g) { return g * y(); },
        [x = Saved(x[0])](T g) { return g * x(); });
  });
  plant("use_counted_twice", {{3, 5}}, [](X x, bool fault) {
    return record(
        Op::add, (x[0] + x[0]).array(), {x[0], x[0]}, [](T g) { return g; },
        [=](T g) { return fault ? 2 * g : g; });
  });
  plant("transposed_operand", {{3, 3}, {3, 3}}, [](X x, bool fault) {
    return record(
        Op::matmul, kernels::matmul(x[0].array(), x[1].array()), {x[0], x[1]},
        [=, b = Saved(x[1])](T g) { return matmul(g, fault ? b() : transpose(b(), 0, 1)); },
        [a = Saved(x[0])](T g) { return matmul(transpose(a(), 0, 1), g); });
  });
  plant("transposed_result", {{3, 5}, {5, 3}}, [](X x, bool fault) {
    return record(
        Op::matmul, kernels::matmul(x[0].array(), x[1].array()), {x[0], x[1]},
        [b = Saved(x[1])](T g) { return matmul(g, transpose(b(), 0, 1)); },
        [=, a = Saved(x[0])](T g) {
          return matmul(transpose(a(), 0, 1), fault ? transpose(g, 0, 1) : g);
        });
  });
  plant("transposed_gradient_of_a_square_matrix", {{3, 3}}, [](X x, bool fault) {
    return record(Op::clone, x[0].array().clone(), {x[0]},
                  [=](T g) { return fault ? transpose(g, 0, 1) : g; });
  });
  plant("reshaped_in_place_of_transposed", {{3, 5}}, [](X x, bool fault) {
    return record(Op::transpose, x[0].array().transpose(0, 1), {x[0]}, [=](T g) {
      return fault ? reshape(g, {3, 5}) : transpose(g, 0, 1);
    });
  });
  plant("stale_saved_value", {{3, 5}}, [](X x, bool fault) {
    Array kept =
        x[0].array().clone();  // a buffer that is written over before the derivative reads it
    const Tensor out = record(Op::square, square(x[0]).array(), {x[0]}, [=, x = Saved(x[0])](T g) {
      return 2 * g * (fault ? Tensor(kept) : x());
    });
    if (fault) {
      kernels::binary_into(kernels::Binary::mul, kept, Array::full({}, 0.5, kept.dtype()));
    }
    return out;
  });
  plant("input_in_place_of_output", {{3, 5}}, [](X x, bool fault) {
    const Array y = tanh(x[0]).array();
    return record(Op::tanh, y, {x[0]}, [=, x = Saved(x[0]), y = SavedOutput(y)](T g) {
      return g * (1 - square(fault ? x() : y()));
    });
  });
  plant("formula_of_another_function", {{3, 5}}, [](X x, bool fault) {
    const Array y = sigmoid(x[0]).array();
    return record(Op::sigmoid, y, {x[0]}, [=, y = SavedOutput(y)](T g) {
      return fault ? g * (1 - square(y())) : g * y() * (1 - y());
    });
  });
  plant("one_element_lost", {{3, 5}}, [](X x, bool fault) {
    return record(Op::clone, x[0].array().clone(), {x[0]}, [=](T g) {
      if (!fault) return g;
      std::vector<double> kept(15, 1);
      kept[14] = 0;
      return g * tensor(kept, {3, 5}, DType::f64);
    });
  });
  plant("shifted_by_one", {{7}}, [](X x, bool fault) {
    return record(Op::clone, x[0].array().clone(), {x[0]}, [=](T g) {
      return fault ? concat({narrow(g, 0, 6, 1), narrow(g, 0, 0, 6)}) : g;
    });
  });
  plant("axis_of_a_sum_mistaken", {{3, 3}}, [](X x, bool fault) {
    return record(Op::sum, sum(x[0], {0}).array(), {x[0]}, [=](T g) {
      return expand(unsqueeze(g, fault ? 1 : 0), {3, 3});
    });
  });
  plant("count_of_a_mean_mistaken", {{3, 5}}, [](X x, bool fault) {
    return record(Op::mean, mean(x[0], {1}, true).array(), {x[0]}, [=](T g) {
      return expand(g / (fault ? 3.0 : 5.0), {3, 5});
    });
  });
  plant("gradient_cut", {{3, 5}},
        [](X x, bool fault) { return x[0] * 0.5 + (fault ? tanh(x[0]).detach() : tanh(x[0])); });
  plant("slice_put_back_elsewhere", {{5, 2}}, [](X x, bool fault) {
    return record(Op::slice, x[0].array().slice(0, 1, 3), {x[0]}, [=](T g) {
      const Index at = fault ? 2 : 1;
      return concat({zeros({at, 2}, DType::f64), g, zeros({3 - at, 2}, DType::f64)});
    });
  });
  plant("repeated_index_written_instead_of_added", {{5, 2}}, [](X x, bool fault) {
    const Tensor rows = ids({3, 1, 3});
    return record(Op::index_select, index_select(x[0], 0, rows).array(), {x[0]}, [=](T g) {
      const Tensor last = tensor({0, 0, 1, 1, 1, 1}, {3, 2}, DType::f64);
      return index_add(zeros({5, 2}, DType::f64), 0, rows, fault ? g * last : g);
    });
  });
  plant("mask_inverted", {{3, 5}}, [](X x, bool fault) {
    const Tensor open = flags({1, 0, 1, 1, 0}, {5});
    return record(Op::where, masked_fill(x[0], logical_not(open), 0).array(), {x[0]},
                  [=](T g) { return masked_fill(g, fault ? open : logical_not(open), 0); });
  });
  plant("softmax_without_its_sum", {{3, 5}}, [](X x, bool fault) {
    const Tensor e = exp(x[0].detach());
    const Array y = (e / sum(e, {1}, true)).array();
    return record(Op::softmax, y, {x[0]}, [=, y = SavedOutput(y)](T g) {
      const Tensor out = y();
      return fault ? out * g : out * (g - sum(g * out, {1}, true));
    });
  });
  plant("bias_of_a_batch_from_one_row", {{3, 5}, {5}}, [=](X x, bool fault) {
    return record(Op::add, (x[0] + x[1]).array(), {x[0], x[1]}, whole,
                  [=](T g) { return fault ? select(g, 0, 0) : g; });
  });
  plant_second("second_derivative_detached", {{3, 5}}, [](X x, bool fault) {
    return record(Op::square, square(x[0]).array(), {x[0]},
                  [=, x = Saved(x[0])](T g) { return 2 * g * (fault ? x().detach() : x()); });
  });
  plant_second("output_kept_off_the_tape", {{3, 5}}, [](X x, bool fault) {
    const Array y = exp(x[0]).array();
    return record(Op::exp, y, {x[0]},
                  [=, y = SavedOutput(y)](T g) { return g * (fault ? Tensor(y.array()) : y()); });
  });
  plant_second("fused_rule_while_recording", {{3, 5}}, [](X x, bool fault) {
    const Array y = tanh(x[0]).array();
    return record(Op::tanh, y, {x[0]}, [=, y = SavedOutput(y)](T g) {
      if (fault) return Tensor(kernels::binary(kernels::Binary::tanh_grad, g.array(), y.array()));
      return g * (1 - square(y()));
    });
  });
  plant_second("cotangent_detached", {{3, 5}, {3, 5}}, [](X x, bool fault) {
    return product_with(
        x[0], x[1], [=, y = Saved(x[1])](T g) { return (fault ? g.detach() : g) * y(); },
        [x = Saved(x[0])](T g) { return g * x(); });
  });
  return all;
}

Tensors draw(const std::vector<std::vector<Index>>& shapes) {
  Generator generator(7);
  Tensors inputs;
  for (const auto& shape : shapes)
    inputs.emplace_back(generator.normal(Shape(shape), 0, 1, DType::f64));
  return inputs;
}

class Planted : public testing::TestWithParam<Plant> {};

TEST_P(Planted, IsFound) {
  const Plant& plant = GetParam();
  const Call right = [&](X x) { return plant.call(x, false); };
  const Call wrong = [&](X x) { return plant.call(x, true); };
  const Tensors inputs = draw(plant.shapes);
  EXPECT_TRUE(gradcheck(right, inputs)) << gradcheck(right, inputs).text();
  EXPECT_TRUE(gradgradcheck(right, inputs)) << gradgradcheck(right, inputs).text();
  if (plant.second_order) {
    EXPECT_TRUE(gradcheck(wrong, inputs)) << gradcheck(wrong, inputs).text();
    EXPECT_FALSE(gradgradcheck(wrong, inputs));
  } else {
    const auto report = gradcheck(wrong, inputs);
    EXPECT_FALSE(report);
    EXPECT_GT(report.faulty, 0) << report.text();
  }
}

INSTANTIATE_TEST_SUITE_P(Fault, Planted, testing::ValuesIn(plants()),
                         [](const auto& entry) { return std::string(entry.param.name); });

}  // namespace
}  // namespace heed::table
