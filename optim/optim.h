// Optimizers, gradient clipping, learning-rate schedules.
#pragma once

#include "adam.h"
#include "clip.h"
#include "optimizer.h"
#include "schedule.h"
#include "sgd.h"
