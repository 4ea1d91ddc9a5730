// A store without a server around it, for a test to kill while it seals.
//
//   store_writer write FOLDER FIRST START_MS   writes batch FIRST and all after it, for ever, and says
//                                              "stored N SEALED" on standard output when N is on disk,
//                                              SEALED being the chunks that it has made by then
//   store_writer print FOLDER                  "SERIES TIME_MS VALUE" for every sample
//
// Batch N gives each series the samples of kTimesPerBatch times from START_MS + N * kTimesPerBatch *
// kStepMs on; a sample's value is (its time - START_MS) / kStepMs * kSeriesCount + the series' number.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "base/mutex.h"
#include "storage/db/store.h"

namespace lockstep {
namespace {

constexpr int64_t kStepMs = 10;
constexpr int64_t kTimesPerBatch = 25;
constexpr int64_t kSeriesCount = 8;
// Enough for the shard to make groups of them.
constexpr int kMaxInFlight = 6;
// Small, so that a seal is under way most of the time.
constexpr size_t kHeadBytes = size_t{256} << 10;

[[noreturn]] void Fail(const absl::Status& status) {
  absl::FPrintF(stderr, "%s\n", status.ToString());
  std::exit(1);
}

std::unique_ptr<Store> Open(const std::string& folder) {
  StoreOptions options;
  options.data_dir = folder;
  options.shard_count = 2;
  options.head_bytes = kHeadBytes;
  absl::StatusOr<std::unique_ptr<Store>> store = OpenStore(options);
  if (!store.ok()) Fail(store.status());
  return *std::move(store);
}

WriteRequest Batch(int64_t number, int64_t start_ms) {
  WriteRequest request;
  for (int64_t series = 0; series < kSeriesCount; ++series) {
    SeriesWrite write;
    write.labels = LabelSet::Of({{"__name__", "durable"}, {"series", std::to_string(series)}});
    for (int64_t i = 0; i < kTimesPerBatch; ++i) {
      const int64_t step = number * kTimesPerBatch + i;
      write.samples.push_back(
          {start_ms + step * kStepMs, static_cast<double>(step * kSeriesCount + series)});
    }
    request.series.push_back(std::move(write));
  }
  return request;
}

// One write() a line: a line that came out is whole, whatever happens next.
void Say(int64_t number, uint64_t sealed_chunks) {
  const std::string line = absl::StrFormat("stored %d %d\n", number, sealed_chunks);
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) std::exit(1);
}

// How many writes are under way.
class InFlight {
 public:
  void Begin() {
    MutexLock lock(mutex_);
    while (count_ == kMaxInFlight) room_.Wait(mutex_);
    ++count_;
  }
  void End() {
    MutexLock lock(mutex_);
    --count_;
    room_.NotifyOne();
  }

 private:
  Mutex mutex_;
  CondVar room_;
  int count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
};

[[noreturn]] void Write(const std::string& folder, int64_t first, int64_t start_ms) {
  const std::unique_ptr<Store> store = Open(folder);
  InFlight in_flight;
  for (int64_t number = first;; ++number) {
    in_flight.Begin();
    store->Write(Batch(number, start_ms), [&, number](absl::StatusOr<WriteOutcome> outcome) {
      if (!outcome.ok()) Fail(outcome.status());
      Say(number, store->stats().sealed_chunks);
      in_flight.End();
    });
  }
}

absl::Status Print(const Store& store) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Querier> querier, store.NewQuerier());
  const Selection everything = {{}, {INT64_MIN, INT64_MAX}, nullptr};
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<SeriesSet> set, querier->Select(everything));
  SampleColumns columns;
  while (set->Next()) {
    columns.Clear();
    LOCKSTEP_RETURN_IF_ERROR(set->Read(columns));
    for (size_t i = 0; i < columns.values.size(); ++i) {
      absl::PrintF("%s %d %.17g\n", set->labels().Get("series"), columns.timestamps_ms[i],
                   columns.values[i]);
    }
  }
  return set->status();
}

int Main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "write" && argc == 5) Write(argv[2], std::atoll(argv[3]), std::atoll(argv[4]));
  if (verb != "print" || argc != 3) return 2;
  const std::unique_ptr<Store> store = Open(argv[2]);
  if (const absl::Status status = Print(*store); !status.ok()) Fail(status);
  return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
