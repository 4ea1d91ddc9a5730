#include "rules/unit_test/unit_test_run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/text/float_format.h"
#include "query/engine/engine.h"
#include "rules/group_evaluator.h"
#include "rules/stored_samples.h"

namespace lockstep::rules {
namespace {

constexpr int64_t kMaxSamples = 50'000'000;

class UnitTestRun {
 public:
  UnitTestRun(const TestFile& file, const UnitTest& test, Storage& storage)
      : file_(file), test_(test), storage_(storage), engine_(storage, {.threads = 1}) {
    context_.query = [this](std::string_view text, int64_t time_ms) {
      return Query(text, time_ms);
    };
    context_.write = [this](const engine::VectorResult& samples) {
      return WriteAndWait(storage_, samples);
    };
    auto labels = std::make_shared<const TextMap>(test.external_labels);
    context_.external_labels = [labels] { return labels; };
    context_.external_url = test.external_url;
    for (const RuleGroup& group : file.groups) {
      groups_.push_back(std::make_unique<GroupEvaluator>(std::make_shared<const RuleGroup>(group),
                                                         context_, true));
    }
  }

  absl::StatusOr<std::vector<std::string>> Run() {
    LOCKSTEP_RETURN_IF_ERROR(WriteSeries());
    int64_t end_ms = 0;
    for (const AlertCheck& check : test_.alert_checks) end_ms = std::max(end_ms, check.time_ms);
    for (const QueryCheck& check : test_.query_checks) end_ms = std::max(end_ms, check.time_ms);
    const int64_t step_ms = std::max<int64_t>(file_.evaluation_interval_ms, 1);
    for (int64_t at_ms = 0; at_ms <= end_ms; at_ms += step_ms) {
      for (const auto& group : groups_) group->Evaluate(test_.start_ms + at_ms);
      NoteErrors();
      for (const AlertCheck& check : test_.alert_checks) {
        if (check.time_ms >= at_ms && check.time_ms < at_ms + step_ms) Check(check);
      }
    }
    for (const QueryCheck& check : test_.query_checks) LOCKSTEP_RETURN_IF_ERROR(Check(check));
    return std::move(failures_);
  }

 private:
  absl::StatusOr<engine::VectorResult> Query(std::string_view text, int64_t time_ms) {
    QueryBudget budget(kMaxSamples, QueryBudget::Clock::time_point::max());
    auto result = engine_.Execute(engine::InstantQuery{text, time_ms, 0, {}}, budget);
    if (!result.ok()) return result.status();
    return VectorOf(std::move(result->value));
  }

  absl::Status WriteSeries() {
    engine::VectorResult samples;
    for (const notation::SeriesLine& line : test_.series) {
      for (size_t i = 0; i < line.slots.size(); ++i) {
        if (!line.slots[i]) continue;
        const int64_t time_ms = test_.start_ms + static_cast<int64_t>(i) * test_.interval_ms;
        samples.push_back({line.labels, time_ms, line.slots[i]->value, line.slots[i]->histogram});
      }
    }
    return WriteAndWait(storage_, samples);
  }

  // Reports each error once.
  void NoteErrors() {
    for (const auto& group : groups_) {
      const GroupStatus status = group->status();
      for (size_t i = 0; i < status.rules.size(); ++i) {
        const std::string& error = status.rules[i].last_error;
        if (error.empty()) continue;
        Fail(absl::StrFormat("group %s, rule %s: %s", status.group->name,
                             status.group->rules[i].name, error));
      }
    }
  }

  void Fail(std::string what) {
    if (std::ranges::find(failures_, what) == failures_.end()) {
      failures_.push_back(std::move(what));
    }
  }

  static std::string AlertText(const Texts& labels, const Texts& annotations) {
    std::string text = "labels {";
    for (const auto& [name, value] : labels) absl::StrAppendFormat(&text, " %s=%s", name, value);
    text += " } annotations {";
    for (const auto& [name, value] : annotations) {
      absl::StrAppendFormat(&text, " %s=%s", name, value);
    }
    return text + " }";
  }

  void Check(const AlertCheck& check) {
    std::vector<std::string> expected, got;
    for (const ExpectedAlert& alert : check.alerts) {
      Texts labels = alert.labels;
      labels[std::string(kAlertName)] = check.alert;
      expected.push_back(AlertText(labels, alert.annotations));
    }
    bool is_known = false;
    for (const auto& group : groups_) {
      const GroupStatus status = group->status();
      for (size_t i = 0; i < status.rules.size(); ++i) {
        const Rule& rule = status.group->rules[i];
        if (rule.kind != RuleKind::kAlerting || rule.name != check.alert) continue;
        is_known = true;
        for (const Alert& alert : status.rules[i].alerts) {
          if (alert.state != AlertState::kFiring) continue;
          Texts labels;
          for (const LabelView& label : alert.labels) labels.emplace(label.name, label.value);
          got.push_back(AlertText(labels, alert.annotations));
        }
      }
    }
    if (!is_known) Fail(absl::StrFormat("no rule defines the alert \"%s\"", check.alert));
    Compare(absl::StrFormat("alert %s at %d s", check.alert, check.time_ms / 1000),
            std::move(expected), std::move(got));
  }

  std::string ValueText(double value, const std::shared_ptr<const Histogram>& histogram) const {
    if (histogram != nullptr) {
      return absl::StrFormat("histogram count %s sum %s", FormatShortValue(histogram->count),
                             FormatShortValue(histogram->sum));
    }
    // A fuzzy comparison uses twelve digits.
    return file_.fuzzy_compare ? absl::StrFormat("%.12g", value) : FormatSampleValue(value);
  }

  absl::Status Check(const QueryCheck& check) {
    const auto answer = Query(check.expression, test_.start_ms + check.time_ms);
    if (!answer.ok()) {
      Fail(absl::StrFormat("%s: %s", check.expression, Message(answer.status())));
      return absl::OkStatus();
    }
    std::vector<std::string> expected, got;
    for (const ExpectedSample& sample : check.samples) {
      expected.push_back(absl::StrFormat("%s %s", sample.labels.ToString(),
                                         ValueText(sample.value, sample.histogram)));
    }
    for (const engine::VectorElement& element : *answer) {
      got.push_back(absl::StrFormat("%s %s", element.labels.ToString(),
                                    ValueText(element.value, element.histogram)));
    }
    Compare(absl::StrFormat("%s at %d s", check.expression, check.time_ms / 1000),
            std::move(expected), std::move(got));
    return absl::OkStatus();
  }

  // Ignores the order.
  void Compare(const std::string& what, std::vector<std::string> expected,
               std::vector<std::string> got) {
    std::ranges::sort(expected);
    std::ranges::sort(got);
    if (expected == got) return;
    const auto list = [](const std::vector<std::string>& texts) {
      std::string all;
      for (const std::string& text : texts) all += "\n      " + text;
      return all.empty() ? std::string(" nothing") : all;
    };
    Fail(absl::StrFormat("%s\n    expected:%s\n    got:%s", what, list(expected), list(got)));
  }

  const TestFile& file_;
  const UnitTest& test_;
  Storage& storage_;
  const engine::Engine engine_;
  RuleContext context_;
  std::vector<std::unique_ptr<GroupEvaluator>> groups_;
  std::vector<std::string> failures_;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> RunUnitTest(const TestFile& file, const UnitTest& test,
                                                     Storage& storage) {
  return UnitTestRun(file, test, storage).Run();
}

}  // namespace lockstep::rules
