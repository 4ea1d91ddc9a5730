// The samples of a window as an answer of their own.
#pragma once

#include "base/status.h"
#include "model/sample.h"
#include "query/engine/kernels/window.h"

namespace lockstep::engine {

// Appends the window's samples to `samples`. Of a window with anchored or smoothed edges: floats at both
// edges of the range, made up where there are none, and those between; kFailedPrecondition if it has histograms.
absl::Status CopyWindow(const Window& window, SampleColumns& samples);

}  // namespace lockstep::engine
