// The training loop and what belongs to it: progress, measures, early stopping, Ctrl-C, charts,
// reports.
#pragma once

#include "alignment.h"
#include "alignment_error.h"
#include "attended_text.h"
#include "bleu.h"
#include "chart.h"
#include "chrf.h"
#include "curves.h"
#include "early_stopping.h"
#include "interrupt.h"
#include "metrics.h"
#include "percent.h"
#include "picture.h"
#include "progress.h"
#include "report.h"
#include "run.h"
#include "shade.h"
#include "training.h"
