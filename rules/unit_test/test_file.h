// Unit tests of rules in the format of `promtool test rules`:
//
//   rule_files: [gpus.yml]
//   evaluation_interval: 1m
//   tests:
//   - name: a hot GPU
//     interval: 1m
//     input_series:
//     - {series: 'temp{gpu="1"}', values: '70 81x10'}
//     alert_rule_test:
//     - {eval_time: 6m, alertname: Hot, exp_alerts: [{exp_labels: {gpu: "1"}}]}
//     promql_expr_test:
//     - {expr: hot_gpus, eval_time: 6m, exp_samples: [{labels: hot_gpus, value: 1}]}
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "query/notation/series_notation.h"
#include "rules/config/rule_file.h"
#include "rules/config/rule_group.h"

namespace lockstep::rules {

struct ExpectedAlert {
  Texts labels;
  Texts annotations;
};

struct AlertCheck {
  int64_t time_ms = 0;
  std::string alert;
  std::vector<ExpectedAlert> alerts;  // firing alerts
};

struct ExpectedSample {
  LabelSet labels;
  double value = 0;
  std::shared_ptr<const Histogram> histogram;  // if set, `value` is ignored
};

struct QueryCheck {
  std::string expression;
  int64_t time_ms = 0;
  std::vector<ExpectedSample> samples;  // in any order
};

struct UnitTest {
  std::string name;
  int64_t start_ms = 0;
  int64_t interval_ms = 60'000;  // between the values of a series
  std::vector<notation::SeriesLine> series;
  std::vector<AlertCheck> alert_checks;
  std::vector<QueryCheck> query_checks;
  Texts external_labels;
  std::string external_url;
};

struct TestFile {
  std::vector<RuleGroup> groups;  // in evaluation order
  int64_t evaluation_interval_ms = 60'000;
  bool fuzzy_compare = false;  // ignore differences in the last bits of values
  std::vector<UnitTest> tests;
};

// Reads a test file and its rule files, whose names are relative to the folder of `path`. Returns
// kInvalidArgument ("FILE line 7: ...") for errors.
absl::StatusOr<TestFile> ReadTestFile(const std::string& path);

}  // namespace lockstep::rules
