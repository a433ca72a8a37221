// Attention: masks and the mechanisms made with them.
#pragma once

#include "mask.h"
#include "pooling.h"
