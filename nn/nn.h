// Layers, losses, initialisers, and the checks of a whole model's gradients.
#pragma once

#include "cross_entropy_loss.h"
#include "dropout.h"
#include "embedding.h"
#include "gradcheck.h"
#include "gru.h"
#include "init.h"
#include "linear.h"
#include "module.h"
