// ONNX: the file format, and graphs as modules.
#pragma once

#include "graph_module.h"
#include "model.h"
#include "read_model.h"
#include "write_model.h"
