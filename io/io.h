// Files: atomic writes, safetensors, model directories, settings.
#pragma once

#include "config.h"
#include "fields.h"
#include "file.h"
#include "lora.h"
#include "model_directory.h"
#include "read_only.h"
#include "safetensors.h"
#include "saved_model.h"
#include "saved_module.h"
#include "training_state.h"
