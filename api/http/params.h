// Converts request parameters to values, with Prometheus' error texts. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "model/matcher.h"
#include "model/sample.h"

namespace lockstep::api {

// The earliest and latest times of a request, in Unix milliseconds. They stay 1,970 years away from
// the limits of int64_t, so that adding offsets and ranges cannot overflow. Source: Prometheus,
// web/api/v1 (MinTime).
inline constexpr int64_t kMinTimeMs = -9223309901257974 * 1000;
inline constexpr int64_t kMaxTimeMs = 9223309901257974 * 1000 + 999;

inline constexpr size_t kNoLimit = SIZE_MAX;

// Unix seconds with decimals ("1700000000.123") or RFC 3339. Clamped to the range above.
absl::StatusOr<int64_t> ParseTimeMs(std::string_view text);
// Seconds with decimals ("0.5") or a PromQL duration ("1m30s"). May be negative or zero.
absl::StatusOr<std::chrono::nanoseconds> ParseDuration(std::string_view text);
// "" and 0 are kNoLimit.
absl::StatusOr<size_t> ParseLimit(std::string_view text);
// Like Go's strconv.Atoi.
absl::StatusOr<int64_t> ParseInteger(std::string_view text);
// Accepts 1 t T TRUE true True and the same for false; "" is false.
absl::StatusOr<bool> ParseBool(std::string_view text);

// `start` and `end` of a request, each optional. An error is the complete message for the client.
absl::StatusOr<TimeRange> ParseTimeRange(std::string_view start, std::string_view end);

// match[] parameters: sets of matchers; a series must match one of them. `budget`: see
// query/promql/parser/parser.h.
absl::StatusOr<std::vector<std::vector<Matcher>>> ParseMatcherSets(
    const std::vector<std::string_view>& selectors, const QueryBudget* budget = nullptr);

// Undoes Prometheus' "values" escaping of names: U__job_2e_name is job.name. Returns names without
// the prefix, and malformed ones, unchanged.
std::string UnescapeLabelName(std::string_view name);

}  // namespace lockstep::api
