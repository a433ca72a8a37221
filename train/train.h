// Helpers of a training loop: progress, measures, early stopping, Ctrl-C, charts, reports.
#pragma once

#include "alignment.h"
#include "attended_text.h"
#include "bleu.h"
#include "chart.h"
#include "chrf.h"
#include "early_stopping.h"
#include "interrupt.h"
#include "log.h"
#include "metrics.h"
#include "percent.h"
#include "picture.h"
#include "progress.h"
#include "report.h"
#include "shade.h"
#include "spread.h"
