// `selector smoothed`: values between two samples lie on the line between them.
#pragma once

#include "model/sample.h"
#include "query/engine/column.h"
#include "query/engine/kernels/annotation.h"
#include "query/engine/step_grid.h"

namespace lockstep::engine {

// At every step the sample of exactly that time, else the interpolation of its neighbours within one
// lookback, else the sample before; nothing before the first sample, and nothing but a warning where floats and
// histograms are both that near. `samples` holds no stale markers.
void FillSmoothed(const SampleColumns& samples, const StepGrid& times, int64_t lookback_ms,
                  Column& column, AnnotationSink& sink);

}  // namespace lockstep::engine
