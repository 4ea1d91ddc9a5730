// The window functions by family, for the table in window_functions.cc. Only for the kernels.
#pragma once

#include "query/engine/kernels/windows/window_functions.h"

namespace lockstep::engine {

WindowResult Rate(const Window& window, const WindowContext& context);
WindowResult Increase(const Window& window, const WindowContext& context);
WindowResult Delta(const Window& window, const WindowContext& context);
WindowResult InstantRate(const Window& window, const WindowContext& context);
WindowResult InstantDelta(const Window& window, const WindowContext& context);
WindowResult Resets(const Window& window, const WindowContext& context);
WindowResult Changes(const Window& window, const WindowContext& context);

WindowResult Deriv(const Window& window, const WindowContext& context);
WindowResult PredictLinear(const Window& window, const WindowContext& context);
WindowResult DoubleExponentialSmoothing(const Window& window, const WindowContext& context);

WindowResult AvgOverTime(const Window& window, const WindowContext& context);
WindowResult SumOverTime(const Window& window, const WindowContext& context);
WindowResult MinOverTime(const Window& window, const WindowContext& context);
WindowResult MaxOverTime(const Window& window, const WindowContext& context);
WindowResult TsOfMinOverTime(const Window& window, const WindowContext& context);
WindowResult TsOfMaxOverTime(const Window& window, const WindowContext& context);
WindowResult StddevOverTime(const Window& window, const WindowContext& context);
WindowResult StdvarOverTime(const Window& window, const WindowContext& context);
WindowResult QuantileOverTime(const Window& window, const WindowContext& context);
WindowResult MadOverTime(const Window& window, const WindowContext& context);

WindowResult CountOverTime(const Window& window, const WindowContext& context);
WindowResult PresentOverTime(const Window& window, const WindowContext& context);
WindowResult FirstOverTime(const Window& window, const WindowContext& context);
WindowResult LastOverTime(const Window& window, const WindowContext& context);
WindowResult TsOfFirstOverTime(const Window& window, const WindowContext& context);
WindowResult TsOfLastOverTime(const Window& window, const WindowContext& context);

}  // namespace lockstep::engine
