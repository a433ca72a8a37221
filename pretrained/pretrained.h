// Models that others trained: readers of their files, and what they are built of.
#pragma once

#include "bert.h"
#include "ctranslate2.h"
#include "decoder_only.h"
#include "families.h"
#include "family_config.h"
#include "family_file.h"
#include "llama2c.h"
#include "load.h"
#include "mingpt.h"
#include "renamed.h"
#include "scored_tokens.h"
#include "sequence_model.h"
#include "tensor_json.h"
#include "writing.h"
