// Optimizers, gradient clipping, learning-rate schedules, averages of weights.
#pragma once

#include "adadelta.h"
#include "adagrad.h"
#include "adam.h"
#include "clip.h"
#include "ema.h"
#include "lbfgs.h"
#include "line_search.h"
#include "lion.h"
#include "optimizer.h"
#include "plateau.h"
#include "rate.h"
#include "rmsprop.h"
#include "schedule.h"
#include "sgd.h"
