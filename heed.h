// Everything a model needs. <heed/train.h>, the training loop's progress, metrics and reports, is
// apart.
#pragma once

#include "attention/attention.h"
#include "autograd/autograd.h"
#include "core/core.h"
#include "data/data.h"
#include "io/io.h"
#include "nn/nn.h"
#include "onnx/onnx.h"
#include "optim/optim.h"
