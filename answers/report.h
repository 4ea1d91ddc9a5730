// All answers about a job at once, and a readable report that puts them into sentences and small
// tables.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/bottlenecks.h"
#include "answers/efficiency.h"
#include "answers/events.h"
#include "answers/ledger.h"
#include "answers/load/job_list.h"
#include "answers/prices.h"
#include "answers/question.h"
#include "answers/stragglers.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::answers {

struct ReportQuestion {
  JobQuestion job;
  std::optional<training::StragglerMethod> method = {};  // see StragglerQuestion
  EfficiencyOptions efficiency = {};
  Prices prices = {};
};

// The ledger is about all attempts, the other answers about the last or the requested one.
struct JobFindings {
  Subject subject;
  size_t step_count = 0;
  ListedJob summary = {};
  JobStragglers stragglers = {};
  JobBottlenecks bottlenecks = {};
  JobEfficiency efficiency = {};
  JobLedger ledger = {};
  JobEvents events = {};
  // Why the job hangs, from what its ranks sent; nothing if they sent nothing.
  std::vector<std::string> hang = {};
};

absl::StatusOr<JobFindings> AnswerReport(const ReportQuestion& question,
                                         const QuestionContext& context);

struct ReportSection {
  std::string title;
  std::vector<std::string> sentences;
  std::vector<std::vector<std::string>>
      table;  // the first row has the column titles; empty if there is no table
};

// These are pure functions.
std::vector<ReportSection> ReportOf(const JobFindings& findings);

enum class ReportFormat { kText, kMarkdown };
std::string Rendered(const std::vector<ReportSection>& sections, ReportFormat format);

}  // namespace lockstep::answers
