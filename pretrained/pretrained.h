// Models that others trained: readers of their files, and what they are built of.
#pragma once

#include "ctranslate2.h"
#include "decoder_only.h"
#include "llama2c.h"
#include "mingpt.h"
#include "renamed.h"
#include "scored_tokens.h"
#include "tensor_json.h"
#include "writing.h"
