#include "answers/load/seated_jobs.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"
#include "answers/load/job_list.h"
#include "base/check.h"
#include "tests/memory_storage.h"

namespace lockstep::answers {
namespace {

constexpr int64_t kFirstMs = 1'700'000'000'000;
constexpr int64_t kMinuteMs = 60'000;

// Two GPUs on each of two hosts that Slurm assigned to job 4242 for ten minutes; a device that two
// jobs share; one without a job; and a registered job.
class Cluster {
 public:
  Cluster() {
    for (const char* host : {"n10", "n9"}) {
      for (const char* gpu : {"0", "1"}) AddDevice(host, gpu, "hpc_job", "4242");
    }
    AddDevice("n11", "0", "hpc_job", "4242,4243");
    AddDevice("n12", "0", "job", "dcgm");
    storage_.Append(LabelSet::Of({{kMetricName, "lockstep_rank_info"},
                                  {"job", "launched"},
                                  {"attempt", "0"},
                                  {"rank", "0"},
                                  {"host", "n12"},
                                  {"gpu", "0"}}),
                    kFirstMs + kMinuteMs, 1);
  }

  // "JOB from-to minutes: host/gpu ...", one line per job.
  std::string Listed(const std::string& name) {
    const auto querier = storage_.NewQuerier();
    LOCKSTEP_CHECK(querier.ok());
    const auto jobs =
        ListJobs({.name = name, .now_ms = kFirstMs + 60 * kMinuteMs}, {**querier, pool_, budget_});
    LOCKSTEP_CHECK(jobs.ok());
    std::string text;
    for (const ListedJob& job : *jobs) {
      text += absl::StrFormat("%s %d-%d:", job.job.name, (job.time.min_ms - kFirstMs) / kMinuteMs,
                              (job.time.max_ms - kFirstMs) / kMinuteMs);
      for (const training::RankPlace& place : job.job.ranks) {
        text += absl::StrFormat(" %d=%s/%s", place.rank, place.host, place.gpu);
      }
      text += "\n";
    }
    return text;
  }

 private:
  void AddDevice(const std::string& host, const std::string& gpu, const char* job_label,
                 const char* job) {
    const std::string uuid = absl::StrFormat("GPU-%s-%s", host, gpu);
    for (int64_t minute = 0; minute <= 10; ++minute) {
      storage_.Append(LabelSet::Of({{kMetricName, "DCGM_FI_DEV_POWER_USAGE"},
                                    {"Hostname", host},
                                    {"gpu", gpu},
                                    {"UUID", uuid},
                                    {job_label, job}}),
                      kFirstMs + minute * kMinuteMs, 700);
    }
  }

  MemoryStorage storage_;
  TaskPool pool_{0};
  QueryBudget budget_{1'000'000, QueryBudget::Clock::time_point::max()};
};

TEST(SeatedJobs, AreThoseOfSchedulersAndLaunchers) {
  const struct {
    const char* name;
    const char* listed;
  } rows[] = {
      {"",
       "launched 1-60: 0=n12/0\n"
       "4242 0-10: 0=n9/0 1=n9/1 2=n10/0 3=n10/1\n"},
      {"4242", "4242 0-10: 0=n9/0 1=n9/1 2=n10/0 3=n10/1\n"},
      {"4243", ""},
      {"dcgm", ""},
  };
  for (const auto& row : rows) EXPECT_EQ(Cluster().Listed(row.name), row.listed) << row.name;
}

}  // namespace
}  // namespace lockstep::answers
