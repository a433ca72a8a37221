// Optimizers, gradient clipping, learning-rate schedules, averages of weights.
#pragma once

#include "adadelta.h"
#include "adagrad.h"
#include "adam.h"
#include "clip.h"
#include "decaying_matrices.h"
#include "ema.h"
#include "fall.h"
#include "mean_of_last.h"
#include "optimizer.h"
#include "plateau.h"
#include "rate.h"
#include "rmsprop.h"
#include "schedule.h"
#include "sgd.h"
