// What all answers about a job come to, for people: sentences and small tables.
//
// Pure functions: any thread, nothing kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answers/job_list.h"
#include "answers/loaded_job.h"
#include "training/bottlenecks.h"
#include "training/efficiency.h"
#include "training/events.h"
#include "training/ledger.h"
#include "training/stragglers.h"

namespace lockstep::answers {

// All that was asked of one job.
struct JobFindings {
  ListedJob summary;
  const LoadedJob* job = nullptr;  // not null; the caller keeps it
  training::StragglerAnswer stragglers;
  training::BottleneckAnswer bottlenecks;
  training::EfficiencyAnswer efficiency;
  training::Ledger ledger;
  std::optional<training::Bill> bill;  // none: the price is not known
  std::string currency;                // of the bill; "": not said
  training::EnergyUse energy;
  std::vector<training::Event> events;
};

struct ReportSection {
  std::string title;
  std::vector<std::string> sentences;
  std::vector<std::vector<std::string>>
      table;  // the first row says what the columns are; empty: none
};

std::vector<ReportSection> ReportOf(const JobFindings& findings);

enum class ReportFormat { kText, kMarkdown };
std::string Rendered(const std::vector<ReportSection>& sections, ReportFormat format);

}  // namespace lockstep::answers
