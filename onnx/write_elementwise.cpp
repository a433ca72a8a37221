// Operators of one element, and the activations.
#include <cmath>
#include <numbers>

#include "step.h"

namespace heed::onnx {
namespace {

template <std::size_t N>
struct Literal {
  constexpr Literal(const char (&text)[N]) { std::copy_n(text, N, value); }
  char value[N];
};

// One node of this type from all inputs.
template <Literal kType>
void plain(const Step& step) {
  Names inputs;
  for (std::size_t i = 0; i < step.inputs(); ++i) inputs.push_back(step.in(i));
  step.out(step.to.node(kType.value, inputs));
}

std::string scalar(const Step& step, double value) { return step.to.number(value, step.dtype()); }

void square(const Step& step) { step.out(step.to.node("Mul", {step.in(0), step.in(0)})); }

void rsqrt(const Step& step) {
  step.out(step.to.node("Reciprocal", {step.to.node("Sqrt", {step.in(0)})}));
}

// tanh(x / 2) (exp(x) + 1), which keeps the digits of a small x.
void expm1(const Step& step) {
  GraphWriter& to = step.to;
  const std::string half = to.node("Mul", {step.in(0), scalar(step, 0.5)});
  const std::string sum = to.node("Add", {to.node("Exp", {step.in(0)}), scalar(step, 1)});
  step.out(to.node("Mul", {to.node("Tanh", {half}), sum}));
}

// log(u) + (x - (u - 1)) / u of u = 1 + x as it is rounded; nothing is added where u is exact, 0 or
// infinite.
void log1p(const Step& step) {
  GraphWriter& to = step.to;
  const std::string x = step.in(0), one = scalar(step, 1);
  const std::string u = to.node("Add", {x, one}), back = to.node("Sub", {u, one});
  const std::string rest = to.node("Div", {to.node("Sub", {x, back}), u});
  const std::string exact = to.node("Equal", {back, x});
  const std::string added = to.node("Where", {exact, scalar(step, 0), rest});
  step.out(to.node("Add", {to.node("Log", {u}), added}));
}

// To the base e^scale: a quotient of logarithms in doubles, whose last digit f32 does not see. In
// f64 it is rounded where these digits alone may keep it from being whole.
void log_of_base(const Step& step, double scale) {
  GraphWriter& to = step.to;
  const DType dtype = step.dtype();
  const std::string x = dtype == DType::f64 ? step.in(0) : to.cast(step.in(0), DType::f64);
  const std::string quotient = to.node("Div", {to.node("Log", {x}), to.number(scale, DType::f64)});
  if (dtype != DType::f64) {
    step.out(to.cast(quotient, dtype));
    return;
  }
  const std::string whole = to.node("Round", {quotient});
  const std::string apart = to.node("Abs", {to.node("Sub", {quotient, whole})});
  const std::string digits =
      to.node("Mul", {to.node("Abs", {whole}), to.number(0x1p-50, DType::f64)});
  step.out(to.node("Where", {to.node("LessOrEqual", {apart, digits}), whole, quotient}));
}
void log2(const Step& step) { log_of_base(step, std::numbers::ln2); }
void log10(const Step& step) { log_of_base(step, std::numbers::ln10); }

void trunc(const Step& step) {
  GraphWriter& to = step.to;
  const std::string whole = to.node("Floor", {to.node("Abs", {step.in(0)})});
  step.out(to.node("Mul", {to.node("Sign", {step.in(0)}), whole}));
}

void clamp(const Step& step) {
  GraphWriter& to = step.to;
  if (step.inputs() == 1) {
    const double least = step.real("min"), most = step.real("max");
    const bool whole = !is_floating(step.dtype());
    std::string out = step.in(0);
    if (std::isfinite(least) || (!whole && !std::isinf(least))) {
      out = to.node("Max", {out, scalar(step, least)});
    }
    if (std::isfinite(most) || (!whole && !std::isinf(most))) {
      out = to.node("Min", {out, scalar(step, most)});
    }
    step.out(out == step.in(0) ? to.node("Identity", {out}) : out);
    return;
  }
  std::string out = step.in(0);
  if (step.has(1)) out = to.node("Max", {out, step.in(1)});
  if (step.has(2)) out = to.node("Min", {out, step.in(2)});
  step.out(out);
}

void where(const Step& step) {
  GraphWriter& to = step.to;
  std::string condition = step.operand("condition");
  if (to.traced(step.operand_id("condition"), 0).array.dtype() != DType::boolean) {
    condition = to.cast(condition, DType::boolean);
  }
  if (step.dtype() == DType::boolean) {  // which runtimes do not choose between
    const std::string taken = to.node("And", {condition, step.in(0)});
    const std::string other = to.node("And", {to.node("Not", {condition}), step.in(1)});
    step.out(to.node("Or", {taken, other}));
    return;
  }
  step.out(to.node("Where", {condition, step.in(0), step.in(1)}));
}

// -softplus(-x)
void log_sigmoid(const Step& step) {
  GraphWriter& to = step.to;
  step.out(to.node("Neg", {to.node("Softplus", {to.node("Neg", {step.in(0)})})}));
}

void leaky_relu(const Step& step) {
  step.out(step.to.node("LeakyRelu", {step.in(0)}, {attribute("alpha", step.real("a"))}));
}

void elu(const Step& step) {
  step.out(step.to.node("Elu", {step.in(0)}, {attribute("alpha", step.real("a"))}));
}

// x (1 + erf(x / sqrt 2)) / 2, or by tanh
void gelu(const Step& step) {
  GraphWriter& to = step.to;
  const std::string x = step.in(0);
  const auto times = [&](const std::string& a, double b) {
    return to.node("Mul", {a, scalar(step, b)});
  };
  std::string inner;
  if (step.number("tanh") != 0) {
    const std::string cube = to.node("Mul", {x, to.node("Mul", {x, x})});
    const std::string sum = to.node("Add", {x, times(cube, 0.044715)});
    inner = to.node("Tanh", {times(sum, std::numbers::sqrt2 * std::numbers::inv_sqrtpi)});
  } else {
    inner = to.node("Erf", {to.node("Div", {x, scalar(step, std::numbers::sqrt2)})});
  }
  const std::string gate = to.node("Add", {inner, scalar(step, 1)});
  step.out(times(to.node("Mul", {x, gate}), 0.5));
}

void silu(const Step& step) {
  step.out(step.to.node("Mul", {step.in(0), step.to.node("Sigmoid", {step.in(0)})}));
}

// Beyond the threshold x itself: in f32 that is what is left from 17 on.
void softplus(const Step& step) {
  GraphWriter& to = step.to;
  const double beta = step.real("a"), threshold = step.real("b");
  const std::string x = step.in(0);
  const std::string scaled = beta == 1 ? x : to.node("Mul", {x, scalar(step, beta)});
  std::string out = to.node("Softplus", {scaled});
  if (beta != 1) out = to.node("Div", {out, scalar(step, beta)});
  if (step.dtype() != DType::f32 || threshold < 17) {
    const std::string beyond = to.node("Greater", {scaled, scalar(step, threshold)});
    out = to.node("Where", {beyond, x, out});
  }
  step.out(out);
}

void cast_to(const Step& step) { step.out(step.to.cast(step.in(0), step.result().dtype())); }

// Mod of numbers with a point is C's, exact and with the sign of x; ours has the sign of y.
void remainder(const Step& step) {
  GraphWriter& to = step.to;
  const std::string x = step.in(0), y = step.in(1);
  if (!is_floating(step.dtype())) {
    step.out(to.node("Mod", {x, y}));
    return;
  }
  const std::string rest = to.node("Mod", {x, y}, {attribute("fmod", std::int64_t{1})});
  const std::string zero = scalar(step, 0);
  const std::string some = to.node("Not", {to.node("Equal", {rest, zero})});
  const std::string apart =
      to.node("Xor", {to.node("Less", {rest, zero}), to.node("Less", {y, zero})});
  step.out(to.node("Where", {to.node("And", {some, apart}), to.node("Add", {rest, y}), rest}));
}

void pow(const Step& step) {
  const std::string y =
      step.inputs() == 2 ? step.in(1) : step.to.number(step.real("y"), step.dtype());
  step.out(step.to.node("Pow", {step.in(0), y}));
}

void negated(const Step& step, const char* type) {
  step.out(step.to.node("Not", {step.to.node(type, {step.in(0), step.in(1)})}));
}
// Bool beside bool is compared as numbers are nowhere in ONNX but for equality.
void not_equal(const Step& step) { negated(step, "Equal"); }

// What does not float is neither: false everywhere.
void never(const Step& step) {
  step.out(step.to.node("Not", {step.to.node("Equal", {step.in(0), step.in(0)})}));
}

void is_nan(const Step& step) {
  if (!is_floating(step.dtype())) return never(step);
  step.out(step.to.node("IsNaN", {step.in(0)}));
}

void is_inf(const Step& step) {
  if (!is_floating(step.dtype())) return never(step);
  GraphWriter& to = step.to;
  step.out(to.node("Equal", {to.node("Abs", {step.in(0)}), scalar(step, INFINITY)}));
}

void is_finite(const Step& step) {
  GraphWriter& to = step.to;
  if (!is_floating(step.dtype())) {
    step.out(to.node("Equal", {step.in(0), step.in(0)}));
    return;
  }
  step.out(to.node("Less", {to.node("Abs", {step.in(0)}), scalar(step, INFINITY)}));
}

}  // namespace

void add_arithmetic(Writers& to) {
  to["add"] = plain<"Add">;
  to["sub"] = plain<"Sub">;
  to["mul"] = plain<"Mul">;
  to["div"] = plain<"Div">;
  to["neg"] = plain<"Neg">;
  to["abs"] = plain<"Abs">;
  to["sign"] = plain<"Sign">;
  to["maximum"] = plain<"Max">;
  to["minimum"] = plain<"Min">;
  to["floor"] = plain<"Floor">;
  to["ceil"] = plain<"Ceil">;
  to["round"] = plain<"Round">;
  to["trunc"] = trunc;
  to["remainder"] = remainder;
  to["clamp"] = clamp;
  to["where"] = where;
  to["to"] = cast_to;
  to["clone"] = plain<"Identity">;
  to["eq"] = plain<"Equal">;
  to["ne"] = not_equal;
  to["lt"] = plain<"Less">;
  to["le"] = plain<"LessOrEqual">;
  to["gt"] = plain<"Greater">;
  to["ge"] = plain<"GreaterOrEqual">;
  to["logical_not"] = plain<"Not">;
  to["logical_and"] = plain<"And">;
  to["logical_or"] = plain<"Or">;
  to["logical_xor"] = plain<"Xor">;
  to["isnan"] = is_nan;
  to["isinf"] = is_inf;
  to["isfinite"] = is_finite;
}

void add_elementwise(Writers& to) {
  to["exp"] = plain<"Exp">;
  to["expm1"] = expm1;
  to["log"] = plain<"Log">;
  to["log1p"] = log1p;
  to["log2"] = log2;
  to["log10"] = log10;
  to["sqrt"] = plain<"Sqrt">;
  to["rsqrt"] = rsqrt;
  to["square"] = square;
  to["reciprocal"] = plain<"Reciprocal">;
  to["pow"] = pow;
  to["tanh"] = plain<"Tanh">;
  to["sigmoid"] = plain<"Sigmoid">;
  to["relu"] = plain<"Relu">;
  to["sin"] = plain<"Sin">;
  to["cos"] = plain<"Cos">;
  to["tan"] = plain<"Tan">;
  to["asin"] = plain<"Asin">;
  to["acos"] = plain<"Acos">;
  to["atan"] = plain<"Atan">;
  to["sinh"] = plain<"Sinh">;
  to["cosh"] = plain<"Cosh">;
  to["erf"] = plain<"Erf">;
  to["log_sigmoid"] = log_sigmoid;
  to["leaky_relu"] = leaky_relu;
  to["elu"] = elu;
  to["gelu"] = gelu;
  to["silu"] = silu;
  to["softplus"] = softplus;
}

}  // namespace heed::onnx
