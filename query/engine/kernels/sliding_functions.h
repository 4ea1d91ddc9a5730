// SlidingFunction: a window function that moves along one series and does not look at every sample of
// every window again.
//
// A plain window function costs the length of the window at every step; with a range of an hour, a
// sample every 15 s and as many steps, that is 240 looks at each sample. The ones here look at each
// sample a few times in all:
//
//   sum, avg    two parts, on both sides of a multiple of the window's length: sums over all tails of the
//               older one, and one running sum of the newer; nothing is ever subtracted
//   min, max    the samples that no later one beats, in a queue
//   rate,       the places of the series' resets, found once; few windows have more than one
//   increase
//   changes,    how many there are up to each sample, counted once
//   resets
//
// They give what the plain functions give, to the bit but for sum and avg, which may differ in the last
// digit; a sum that is not finite is computed the plain way. What they give at a window does not depend on
// the windows before.
#pragma once

#include <memory>

#include "query/engine/kernels/window_functions.h"

namespace lockstep::engine {

// For one series and one thread.
class SlidingFunction {
 public:
  virtual ~SlidingFunction() = default;
  // Precondition: the window is not empty, is part of the series, as long as the one before, and neither
  // of its ends lies before that of the window before.
  virtual WindowResult At(const Window& window, const WindowContext& context) = 0;
};

// Null if nothing is to be gained, for sum and avg never. Borrows the series. Only windows with plain edges may
// be asked for.
std::unique_ptr<SlidingFunction> MakeSlidingFunction(promql::FunctionId id,
                                                     const SampleColumns& series);

}  // namespace lockstep::engine
