// ONNX: the file format.
#pragma once

#include "model.h"
#include "read_model.h"
#include "write_model.h"
