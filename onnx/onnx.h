// ONNX: the file format, graphs as modules, and modules as graphs.
#pragma once

#include "export.h"
#include "graph_module.h"
#include "model.h"
#include "read_model.h"
#include "write_model.h"
