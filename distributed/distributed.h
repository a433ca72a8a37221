// Training and attention over several processes, by MPI.
#pragma once

#include "gradient_sum.h"
#include "processes.h"
#include "tree_sum.h"
#include "world.h"
