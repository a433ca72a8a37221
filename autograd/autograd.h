// Tensors that remember how they were made: operators, backward passes, gradient checks.
#pragma once

#include "backward.h"
#include "grad_mode.h"
#include "gradcheck.h"
#include "op.h"
#include "ops/cross_entropy.h"
#include "ops/dropout.h"
#include "ops/elementwise.h"
#include "ops/index.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/softmax.h"
#include "record.h"
#include "tensor.h"
