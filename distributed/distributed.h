// Training and attention over several processes, by MPI.
#pragma once

#include "collectives.h"
#include "gradient_sum.h"
#include "processes.h"
#include "ring_attention.h"
#include "sharded.h"
#include "tree_sum.h"
#include "world.h"
