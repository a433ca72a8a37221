// Layers, losses, initialisers, and the checks of a whole model's gradients.
#pragma once

#include "bilinear.h"
#include "cells.h"
#include "conv.h"
#include "cross_entropy_loss.h"
#include "dropout.h"
#include "embedding.h"
#include "gradcheck.h"
#include "gru.h"
#include "init.h"
#include "linear.h"
#include "lstm.h"
#include "module.h"
#include "pooling.h"
#include "rnn.h"
