// A store under a load of every kind, for campaign.py to kill, and the judge of what it left behind.
//
//   store_load run FOLDER SEED LIFE     writes with several threads while others read, back up to
//                                       FOLDER.backups, seal, merge and drop what is expired, for ever.
//                                       Says "sent LIFE WRITER NUMBER" before each batch, "stored LIFE
//                                       WRITER NUMBER" once the store acknowledged it, and "did drop",
//                                       "did seal", "did merge" and "did backup" after each of these
//   store_load check FOLDER SEED LIFE   opens what that life left and compares it with the batches on
//                                       standard input, "LIFE WRITER NUMBER STORED" a line, in the order
//                                       in which each writer sent them; STORED is 0 or 1. Restores the
//                                       newest backup too, to FOLDER.restored
//
// A batch follows from SEED, LIFE, WRITER and NUMBER alone, and so does the clock from LIFE: each is three
// hours later than the one before, so that retention has work to do. A writer has one batch under way at a
// time and series of its own, so of two values of one time the one sent later must win; a batch without an
// answer may be there, or parts of it, or not.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "storage/db/backup_folder.h"
#include "storage/db/store.h"
#include "storage/kv/env.h"

namespace lockstep {
namespace {

constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kLifeMs = 3 * kHourMs;
constexpr int64_t kRetentionMs = 36 * kHourMs;
constexpr int64_t kLatestMs = 30 * kHourMs;  // how late a late sample may be
constexpr int64_t kFirstMs = 1'700'000'000'000;
constexpr int64_t kStepMs = 1000;
constexpr int kWriterCount = 4;
constexpr int kSeriesCount = 10;
constexpr int kSteps = 5;
// Small, so that a seal is under way most of the time.
constexpr size_t kHeadBytes = size_t{256} << 10;
// Everything is merged once in so many seals.
constexpr int kTurnsPerMerge = 4;

struct BatchName {
  int64_t life = 0;
  int64_t writer = 0;
  int64_t number = 0;
};

std::string BackupsOf(const std::string& folder) { return folder + ".backups"; }

int64_t BeginMs(int64_t life) { return kFirstMs + life * kLifeMs; }
int64_t NowMs(int64_t life) { return BeginMs(life + 1); }

[[noreturn]] void Fail(std::string_view why) {
  absl::FPrintF(stderr, "%s\n", why);
  std::_Exit(1);
}

void Must(const absl::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

template <typename T>
T Must(absl::StatusOr<T> result) {
  Must(result.status());
  return *std::move(result);
}

// One write() a line: a line that came out is whole, whatever happens next.
void Say(const std::string& line) {
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(1);
}

std::unique_ptr<Store> Open(const std::string& folder, int64_t life) {
  StoreOptions options;
  options.data_dir = folder;
  options.shard_count = 2;
  options.head_bytes = kHeadBytes;
  options.retention_ms = kRetentionMs;
  options.now_ms = [life] { return NowMs(life); };
  return Must(OpenStore(options));
}

using Times = std::map<int64_t, double>;  // in ms, to values
using Batch = std::map<LabelSet, Times>;

class BatchMaker {
 public:
  BatchMaker(uint64_t seed, const BatchName& name)
      : name_(name),
        random_((seed << 40) + (static_cast<uint64_t>(name.life) << 24) +
                (static_cast<uint64_t>(name.writer) << 20) + static_cast<uint64_t>(name.number)),
        next_value_(static_cast<double>((name.life * 10 + name.writer) * 10'000'000 +
                                        name.number * 1000)) {}

  Batch Make() {
    switch (Below(10)) {
      case 0:
      case 1:
        AddLate();
        break;
      case 2:
      case 3:
        AddOverwriting();
        break;
      case 4:
        AddNewSeries();
        break;
      default:
        AddInOrder();
    }
    return std::move(batch_);
  }

 private:
  int64_t Below(int64_t end) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(end));
  }
  int64_t StepTime(int64_t step) const { return BeginMs(name_.life) + step * kStepMs; }

  void Add(const std::string& series, int64_t time_ms) {
    const LabelSet labels = LabelSet::Of({{"__name__", "durable"},
                                          {"job", "writer-" + std::to_string(name_.writer)},
                                          {"series", series}});
    batch_[labels].insert_or_assign(time_ms, next_value_++);
  }
  void AddInOrder() {
    for (int series = 0; series < kSeriesCount; ++series) {
      for (int i = 0; i < kSteps; ++i) {
        Add("s" + std::to_string(series), StepTime(name_.number * kSteps + i));
      }
    }
  }
  void AddLate() {
    for (int i = 0; i < 40; ++i) {
      Add("s" + std::to_string(Below(3)), NowMs(name_.life) - Below(kLatestMs) / 60'000 * 60'000);
    }
  }
  void AddOverwriting() {
    for (int i = 0; i < 40; ++i) {
      const int64_t step = std::max<int64_t>(0, name_.number * kSteps - Below(200));
      Add("s" + std::to_string(Below(kSeriesCount)), StepTime(step));
    }
  }
  // Those of a life, and one that is there in every fifth life alone.
  void AddNewSeries() {
    const std::string name = "life-" + std::to_string(name_.life) + "-" + std::to_string(Below(20));
    for (int i = 0; i < kSteps; ++i) Add(name, StepTime(name_.number * kSteps + i));
    Add("visitor-" + std::to_string(name_.life % 5), StepTime(name_.number * kSteps));
  }

  const BatchName name_;
  std::mt19937_64 random_;
  double next_value_;
  Batch batch_;
};

// Half of the series by the numbers under which the store knows them, as a server writes them.
WriteRequest RequestOf(const Batch& batch, const Storage& storage) {
  WriteRequest request;
  bool by_ref = false;
  for (const auto& [labels, times] : batch) {
    by_ref = !by_ref;
    const SeriesKey key = SeriesKeyOf(labels);
    SeriesRef ref;
    if (by_ref) storage.FindSeries({&key, 1}, {&ref, 1});
    SeriesWrite write{labels, {}, {}};
    for (const auto& [time_ms, value] : times) {
      if (ref.known()) {
        request.known.push_back({ref, {time_ms, value}});
      } else {
        write.samples.push_back({time_ms, value});
      }
    }
    if (!ref.known()) request.series.push_back(std::move(write));
  }
  return request;
}

// All that the store has of these series; fails if a series is there twice, or a time.
Batch ReadAll(const Store& store, const std::vector<Matcher>& matchers) {
  Batch found;
  const std::unique_ptr<Querier> querier = Must(store.NewQuerier());
  const std::unique_ptr<SeriesSet> set =
      Must(querier->Select({matchers, {INT64_MIN, INT64_MAX}, nullptr}));
  SampleColumns columns;
  while (set->Next()) {
    columns.Clear();
    Must(set->Read(columns));
    const auto [at, is_new] = found.try_emplace(set->labels());
    if (!is_new) Fail("a series twice: " + set->labels().ToString());
    for (size_t i = 0; i < columns.values.size(); ++i) {
      if (i > 0 && columns.timestamps_ms[i] <= columns.timestamps_ms[i - 1]) {
        Fail("times that do not ascend: " + set->labels().ToString());
      }
      at->second.emplace_hint(at->second.end(), columns.timestamps_ms[i], columns.values[i]);
    }
  }
  Must(set->status());
  return found;
}

// What was acknowledged a moment ago is there.
void CheckWritten(const Store& store, const Batch& batch) {
  for (const auto& [labels, times] : batch) {
    const std::vector<Matcher> matchers = {
        Matcher::Equal("job", std::string(labels.Get("job"))),
        Matcher::Equal("series", std::string(labels.Get("series")))};
    const Batch found = ReadAll(store, matchers);
    const auto series = found.find(labels);
    for (const auto& [time_ms, value] : times) {
      if (series == found.end() || !series->second.contains(time_ms) ||
          series->second.at(time_ms) != value) {
        Fail(absl::StrFormat("acknowledged and not there: %s at %d", labels.ToString(), time_ms));
      }
    }
  }
}

[[noreturn]] void Write(Store& store, uint64_t seed, int64_t life, int64_t writer) {
  for (int64_t number = 0;; ++number) {
    const Batch batch = BatchMaker(seed, {life, writer, number}).Make();
    std::promise<absl::StatusOr<WriteOutcome>> answer;
    Say(absl::StrFormat("sent %d %d %d\n", life, writer, number));
    store.Write(RequestOf(batch, store), [&answer](absl::StatusOr<WriteOutcome> outcome) {
      answer.set_value(std::move(outcome));
    });
    if (Must(answer.get_future().get()).rejected_count > 0) Fail("samples were rejected");
    Say(absl::StrFormat("stored %d %d %d\n", life, writer, number));
    if (number % 8 == writer) CheckWritten(store, batch);
  }
}

[[noreturn]] void Run(const std::string& folder, uint64_t seed, int64_t life) {
  const std::unique_ptr<Store> store = Open(folder, life);
  std::vector<std::thread> threads;
  for (int64_t writer = 0; writer < kWriterCount; ++writer) {
    threads.emplace_back([&store, seed, life, writer] { Write(*store, seed, life, writer); });
  }
  threads.emplace_back([&store] {
    for (int turn = 0;; turn = (turn + 1) % kWriterCount) {
      (void)ReadAll(*store, {Matcher::Equal("job", "writer-" + std::to_string(turn))});
    }
  });
  threads.emplace_back([&store, &folder] {
    while (true) {
      Must(store->Backup(BackupsOf(folder), /*keep_count=*/2).status());
      Say("did backup\n");
    }
  });
  for (int64_t turn = life;; ++turn) {
    Must(store->DropExpired());
    Say("did drop\n");
    if (turn % kTurnsPerMerge == 0) {
      Must(store->Settle());
      Say("did merge\n");
    } else {
      Must(store->Seal());
      Say("did seal\n");
    }
  }
}

// What may be at one time of one series.
struct Expected {
  bool must_be_there = false;
  std::vector<double> values;
};
using Expectation = std::map<LabelSet, std::map<int64_t, Expected>>;

Expectation ReadExpectation(uint64_t seed, int64_t oldest_ms) {
  Expectation expectation;
  BatchName name;
  int stored = 0;
  while (std::cin >> name.life >> name.writer >> name.number >> stored) {
    for (const auto& [labels, times] : BatchMaker(seed, name).Make()) {
      for (const auto& [time_ms, value] : times) {
        if (time_ms < oldest_ms) continue;
        Expected& expected = expectation[labels][time_ms];
        if (stored == 1) expected = {true, {}};
        expected.values.push_back(value);
      }
    }
  }
  return expectation;
}

void CheckSeries(const LabelSet& labels, const std::map<int64_t, Expected>& expectation,
                 const Times& found) {
  for (const auto& [time_ms, expected] : expectation) {
    if (expected.must_be_there && !found.contains(time_ms)) {
      Fail(absl::StrFormat("acknowledged and lost: %s at %d", labels.ToString(), time_ms));
    }
  }
  for (const auto& [time_ms, value] : found) {
    const auto at = expectation.find(time_ms);
    if (at == expectation.end()) {
      Fail(absl::StrFormat("never sent, or expired: %s at %d", labels.ToString(), time_ms));
    }
    const std::vector<double>& values = at->second.values;
    if (std::find(values.begin(), values.end(), value) == values.end()) {
      Fail(absl::StrFormat("%.17g instead of %.17g: %s at %d", value, values.front(),
                           labels.ToString(), time_ms));
    }
  }
}

// The newest backup is whole, and has no series and no time that nobody sent. Its values may be from
// before others were written over them.
void CheckBackup(const std::string& folder, int64_t life, const Expectation& expectation) {
  const std::unique_ptr<BackupFolder> backups =
      Must(BackupFolder::Open(BackupsOf(folder), kv::Env::Default()));
  const std::vector<BackupSummary> list = Must(backups->List());
  if (list.empty()) return;
  const std::string restored = folder + ".restored";
  Must(backups->Restore(list.back().number, restored));
  const std::unique_ptr<Store> store = Open(restored, life);
  for (const auto& [labels, times] : ReadAll(*store, {})) {
    const auto series = expectation.find(labels);
    for (const auto& [time_ms, value] : times) {
      if (series == expectation.end() || !series->second.contains(time_ms)) {
        Fail(absl::StrFormat("in a backup and never sent: %s at %d", labels.ToString(), time_ms));
      }
    }
  }
  Must(store->Close());
  std::filesystem::remove_all(restored);
}

void Check(const std::string& folder, uint64_t seed, int64_t life) {
  Expectation expectation = ReadExpectation(seed, NowMs(life) - kRetentionMs);
  CheckBackup(folder, life, expectation);
  const std::unique_ptr<Store> store = Open(folder, life);
  Batch found = ReadAll(*store, {});
  uint64_t sample_count = 0;
  for (const auto& [labels, times] : found) {
    CheckSeries(labels, expectation[labels], times);
    sample_count += times.size();
  }
  for (const auto& [labels, times] : expectation) CheckSeries(labels, times, found[labels]);
  absl::PrintF("%d\n", sample_count);
  // One life in three follows a clean stop.
  if (life % 3 == 0) Must(store->Close());
}

int Main(int argc, char** argv) {
  const std::string_view verb = argc == 5 ? argv[1] : "";
  if (verb == "run") Run(argv[2], std::strtoull(argv[3], nullptr, 10), std::atoll(argv[4]));
  if (verb != "check") return 2;
  Check(argv[2], std::strtoull(argv[3], nullptr, 10), std::atoll(argv[4]));
  return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
