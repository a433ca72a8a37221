// Attention: scores, normalisers, masks and biases, attend() which joins them, and the mechanisms
// made of them.
#pragma once

#include "attend.h"
#include "bias.h"
#include "mask.h"
#include "mechanisms/key_value_cache.h"
#include "mechanisms/multi_head.h"
#include "mechanisms/transformer.h"
#include "mechanisms/transformer_decoder.h"
#include "mechanisms/transformer_encoder.h"
#include "normalisers/monotonic.h"
#include "normalisers/sigmoid.h"
#include "normalisers/sparse.h"
#include "pooling.h"
#include "relative.h"
#include "rotary.h"
#include "scores/additive.h"
#include "scores/feature_wise.h"
#include "scores/general.h"
#include "scores/location.h"
