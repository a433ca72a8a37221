// Numbers and memory: arrays, random numbers, threads, errors.
#pragma once

#include "allocator.h"
#include "array.h"
#include "dtype.h"
#include "error.h"
#include "generator.h"
#include "loan.h"
#include "number_in.h"
#include "observer.h"
#include "parallel.h"
#include "precision.h"
#include "print.h"
#include "scope.h"
#include "shape.h"
#include "simd.h"
#include "version.h"
