// Numbers and memory: arrays, random numbers, threads, errors.
#pragma once

#include "allocator.h"
#include "array.h"
#include "dtype.h"
#include "error.h"
#include "generator.h"
#include "parallel.h"
#include "shape.h"
#include "simd.h"
