// Measures the cost of series in a shard's dictionary, and of selections in its index: targets like
// those of a training fleet, 31 metrics each, created in commits of 2,000 series like those of
// remote write.
//
// Answers are first compared with what follows from the labels. Times are CPU times of one thread,
// bytes are those allocated by malloc.
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "bench/cpu_time.h"
#include "bench/index/gpu_labels.h"
#include "storage/db/series/dictionary.h"
#include "storage/db/series/dictionary_loader.h"
#include "storage/kv/files/env.h"
#include "storage/kv/resources.h"
#include "storage/kv/store.h"

namespace lockstep {
namespace {

constexpr size_t kSeriesPerCommit = 2000;

double HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

// CPU seconds by kind of work.
struct Costs {
  double stage = 0;   // IDs, places and numbers for new series
  double rows = 0;    // adding the rows to a batch for the disk
  double commit = 0;  // into the index, under the shard's lock
  double store = 0;   // RocksDB's part
};

class Bench {
 public:
  Bench(kv::Store& store, size_t target_count)
      : store_(store), target_count_(target_count), heap_before_(HeapBytes()) {}

  absl::Status Run() {
    LOCKSTEP_RETURN_IF_ERROR(AddTargets(0));
    PrintCosts("new series");
    LOCKSTEP_RETURN_IF_ERROR(CheckAndTimeSelections());
    LOCKSTEP_RETURN_IF_ERROR(Reload());
    LOCKSTEP_RETURN_IF_ERROR(ReplaceAllTargets());
    return absl::OkStatus();
  }

 private:
  double series_count() const { return static_cast<double>(target_count_ * kMetricsPerTarget); }
  double NanosecondsEach(double seconds) const { return seconds * 1e9 / series_count(); }
  double BytesEach() const { return (HeapBytes() - heap_before_) / series_count(); }

  absl::Status AddTargets(size_t first_gpu) {
    costs_ = {};
    std::vector<LabelSet> labels;
    const size_t all = target_count_ * kMetricsPerTarget;
    for (size_t begin = 0; begin < all; begin += kSeriesPerCommit) {
      labels.clear();
      for (size_t i = begin; i < std::min(all, begin + kSeriesPerCommit); ++i) {
        labels.push_back(LabelsOfGpu(first_gpu + i / kMetricsPerTarget, i % kMetricsPerTarget));
      }
      LOCKSTEP_RETURN_IF_ERROR(AddInOneCommit(labels));
    }
    return absl::OkStatus();
  }

  absl::Status AddInOneCommit(const std::vector<LabelSet>& labels) {
    const double start = ThreadCpuSeconds();
    for (const LabelSet& one : labels) dictionary_->StageNew(one);
    const double staged = ThreadCpuSeconds();
    kv::Batch batch = store_.NewBatch();
    dictionary_->PutStaged(batch);
    const double put = ThreadCpuSeconds();
    LOCKSTEP_RETURN_IF_ERROR(store_.Commit(batch, kv::Durability::kBuffered));
    const double stored = ThreadCpuSeconds();
    batch_bytes_ += batch.byte_count();
    dictionary_->CommitStaged();
    costs_.stage += staged - start;
    costs_.rows += put - staged;
    costs_.store += stored - put;
    costs_.commit += ThreadCpuSeconds() - stored;
    return absl::OkStatus();
  }

  void PrintCosts(const char* what) const {
    std::printf("%-30s %8.0f ns: staged %.0f, rows %.0f, into the index %.0f (RocksDB %.0f)\n",
                what, NanosecondsEach(costs_.stage + costs_.rows + costs_.commit),
                NanosecondsEach(costs_.stage), NanosecondsEach(costs_.rows),
                NanosecondsEach(costs_.commit), NanosecondsEach(costs_.store));
    std::printf("%-30s %8.1f B in memory, %.1f B in the log\n", "  a series takes", BytesEach(),
                static_cast<double>(batch_bytes_) / series_count());
  }

  // Selects, checks that `count` series with the matchers' labels are found, and measures the time
  // with and without assembling their labels.
  absl::Status Select(const char* what, const std::vector<Matcher>& matchers, size_t count) {
    const SeriesIndex& index = dictionary_->index();
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<SeriesId> found, index.Select(matchers));
    bool is_right = found.size() == count && std::is_sorted(found.begin(), found.end());
    for (const SeriesId id : found) {
      const LabelSet labels = index.Labels(id);
      for (const Matcher& matcher : matchers) {
        is_right = is_right && matcher.Matches(labels.Get(matcher.name()));
      }
    }
    if (!is_right) return absl::InternalError(std::string("a wrong answer: ") + what);
    const int repeats = static_cast<int>(1 + 200'000 / (count + 1));
    double start = ThreadCpuSeconds();
    for (int i = 0; i < repeats; ++i) is_right = is_right && index.Select(matchers).ok();
    const double selecting = (ThreadCpuSeconds() - start) / repeats;
    size_t label_bytes = 0;
    start = ThreadCpuSeconds();
    for (const SeriesId id : found) label_bytes += index.Labels(id).bytes().size();
    const double labelling = ThreadCpuSeconds() - start;
    std::printf("%-30s %8.1f us for %zu series, %.1f us for their labels\n", what, selecting * 1e6,
                count, label_bytes == 0 ? 0 : labelling * 1e6);
    return absl::OkStatus();
  }

  absl::Status CheckAndTimeSelections() {
    const auto equal = [](std::string_view name, std::string value) {
      return Matcher::Equal(std::string(name), std::move(value));
    };
    const auto regex = [](std::string_view name, std::string value) {
      return *Matcher::Make(MatchType::kRegex, std::string(name), std::move(value));
    };
    const size_t of_last_job = (target_count_ - 1) % kTargetsPerJob + 1;
    const std::string last_job = JobName(target_count_ - 1);
    LOCKSTEP_RETURN_IF_ERROR(
        Select("one metric", {equal(kMetricName, MetricName(3))}, target_count_));
    LOCKSTEP_RETURN_IF_ERROR(Select("one metric of one job",
                                    {equal(kMetricName, MetricName(3)), equal("job", last_job)},
                                    of_last_job));
    LOCKSTEP_RETURN_IF_ERROR(
        Select("one GPU", {equal("UUID", Uuid(target_count_ - 1))}, kMetricsPerTarget));
    LOCKSTEP_RETURN_IF_ERROR(
        Select("one job", {equal("job", last_job)}, of_last_job * kMetricsPerTarget));
    LOCKSTEP_RETURN_IF_ERROR(Select("metrics by expression",
                                    {regex(kMetricName, "DCGM_FI_DEV_COUNTER_0[0-4]")},
                                    5 * target_count_));
    return Select("everything", {}, target_count_ * kMetricsPerTarget);
  }

  absl::Status Reload() {
    dictionary_ = std::make_unique<Dictionary>();
    malloc_trim(0);
    heap_before_ = HeapBytes();
    const double start = ThreadCpuSeconds();
    LOCKSTEP_RETURN_IF_ERROR(DictionaryLoader(store_, *dictionary_).Run());
    std::printf("%-30s %8.0f ns, %.1f B a series\n", "read from disk",
                NanosecondsEach(ThreadCpuSeconds() - start), BytesEach());
    if (dictionary_->index().series_count() == target_count_ * kMetricsPerTarget) {
      return absl::OkStatus();
    }
    return absl::InternalError("not all series were read");
  }

  // Simulates that every job restarted on other hosts, and that the old samples expired.
  absl::Status ReplaceAllTargets() {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<SeriesId> old, dictionary_->index().Select({}));
    batch_bytes_ = 0;
    LOCKSTEP_RETURN_IF_ERROR(AddTargets(target_count_));
    PrintCosts("all targets replaced");
    const double start = ThreadCpuSeconds();
    dictionary_->Remove(old);
    const double removed = ThreadCpuSeconds();
    while (dictionary_->NeedsCleanup()) {
      kv::Batch batch = store_.NewBatch();
      dictionary_->PutCleanup(batch);
      LOCKSTEP_RETURN_IF_ERROR(store_.Commit(batch, kv::Durability::kBuffered));
      dictionary_->CommitCleanup();
    }
    std::printf("%-30s %8.0f ns, rows %.0f ns; %.1f B in memory left\n", "old series removed",
                NanosecondsEach(removed - start), NanosecondsEach(ThreadCpuSeconds() - removed),
                BytesEach());
    return Select("one GPU of the new", {Matcher::Equal("UUID", Uuid(target_count_))},
                  kMetricsPerTarget);
  }

  kv::Store& store_;
  const size_t target_count_;
  double heap_before_;
  std::unique_ptr<Dictionary> dictionary_ = std::make_unique<Dictionary>();
  Costs costs_;
  size_t batch_bytes_ = 0;
};

absl::Status Run(const std::string& data_dir, const std::vector<size_t>& series_counts) {
  const std::shared_ptr<kv::Env> env = kv::Env::Default();
  for (const size_t series_count : series_counts) {
    const std::string folder = absl::StrFormat("%s/%d", data_dir, series_count);
    LOCKSTEP_ASSIGN_OR_RETURN(
        const std::unique_ptr<kv::Store> store,
        kv::Store::Open(folder, env, std::make_shared<kv::Resources>(kv::ResourceLimits{})));
    const size_t target_count = std::max<size_t>(1, series_count / kMetricsPerTarget);
    std::printf("-- %zu series of %zu targets\n", target_count * kMetricsPerTarget, target_count);
    LOCKSTEP_RETURN_IF_ERROR(Bench(*store, target_count).Run());
    LOCKSTEP_RETURN_IF_ERROR(store->Close());
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  std::string data_dir;
  std::vector<size_t> series_counts = {8'000, 80'000, 800'000};
  CLI::App app("Measures the cost of series in the dictionary and the index of a shard.");
  app.add_option("--data", data_dir, "an empty folder")->required();
  app.add_option("--series", series_counts, "numbers of series to test");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = lockstep::Run(data_dir, series_counts);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
