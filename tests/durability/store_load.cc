// Puts a store under load for campaign.py to kill, and checks what it left behind.
//
//   store_load run FOLDER SEED LIFE
//     Writes with several threads while others read, delete, back up to FOLDER.backups, seal,
//     merge and drop data that is expired or over a limit, until killed. Reports on standard
//     output:
//       sent|stored WRITER NUMBER   before a batch; after it was acknowledged
//       rejected WRITER SERIES      just before "stored"
//       deleting|deleted NUMBER     before and after a deletion
//       did WORK                    after other work
//     The store's log, in between, says what was dropped to stay within the budget.
//   store_load check FOLDER SEED LIFE
//     Opens the store that this life left and compares it with the life's reports on standard
//     input, to which "dropped TIME_MS" is added for each window dropped for the budget. Also
//     restores the newest backup, to FOLDER.restored. Saves what it found in FOLDER.found for the
//     next check.
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <thread>

#include "absl/strings/str_format.h"
#include "storage/db/backup/backup_folder.h"
#include "storage/kv/files/env.h"
#include "tests/durability/expectation.h"
#include "tests/durability/load.h"

namespace lockstep {
namespace {

// How many seals there are per full merge, and deletions per cleaning of tombstones.
constexpr int kTurnsPerMerge = 4;
constexpr int kDeletionsPerCleaning = 8;
// More retries in a row than this mean that a batch can never be written.
constexpr int kMaxAttempts = 1000;

// One write() per line, so that no line is printed in part.
void Say(const std::string& line) {
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(1);
}

// One life. Its threads end only with the process.
class Life {
 public:
  Life(const std::string& folder, uint64_t seed, int64_t life)
      : seed_(seed),
        life_(life),
        backups_(BackupsOf(folder)),
        store_(OpenStoreOf(folder, life, LimitOf(life))) {
    for (std::atomic<int64_t>& number : stored_) number = -1;
  }

  [[noreturn]] void Run() {
    std::vector<std::thread> threads;
    for (int64_t writer = 0; writer < kWriterCount; ++writer) {
      threads.emplace_back([this, writer] { Write(writer); });
    }
    threads.emplace_back([this] { Read(); });
    threads.emplace_back([this] { Delete(); });
    threads.emplace_back([this] { BackUp(); });
    KeepHouse();
  }

 private:
  [[noreturn]] void Write(int64_t writer);
  WriteOutcome Send(const Batch& batch);
  WriteRequest RequestOf(const Batch& batch) const;
  bool MayBeDeleted(const LabelSet& labels, int64_t time_ms, int64_t first, int64_t last) const;
  void CheckWritten(const Batch& batch, int64_t first_deletion) const;
  [[noreturn]] void Read();
  [[noreturn]] void Delete();
  void CheckDeleted(const Deletion& deletion,
                    const std::array<int64_t, kWriterCount>& stored) const;
  [[noreturn]] void BackUp();
  [[noreturn]] void KeepHouse();

  const uint64_t seed_;
  const int64_t life_;
  const std::string backups_;
  const std::unique_ptr<Store> store_;
  std::array<std::atomic<int64_t>, kWriterCount> stored_;  // the last batch of each writer
  std::atomic<int64_t> deletion_ = 0;                      // the running or next one
};

// Addresses every second series by its reference, as the server does for known series.
WriteRequest Life::RequestOf(const Batch& batch) const {
  WriteRequest request;
  bool by_ref = false;
  for (const auto& [labels, times] : batch) {
    by_ref = !by_ref;
    const SeriesKey key = SeriesKeyOf(labels);
    SeriesRef ref;
    if (by_ref) store_->FindSeries({&key, 1}, {&ref, 1});
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

// Retries if a series was dropped in the meantime.
WriteOutcome Life::Send(const Batch& batch) {
  absl::StatusOr<WriteOutcome> outcome;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    std::promise<absl::StatusOr<WriteOutcome>> answer;
    store_->Write(RequestOf(batch), [&answer](absl::StatusOr<WriteOutcome> result) {
      answer.set_value(std::move(result));
    });
    outcome = answer.get_future().get();
    if (!absl::IsUnavailable(outcome.status())) break;
  }
  return Must(std::move(outcome));
}

void Life::Write(int64_t writer) {
  for (int64_t number = 0;; ++number) {
    const Batch batch = MakeBatch(seed_, {life_, writer, number});
    const int64_t first_deletion = deletion_;
    Say(absl::StrFormat("sent %d %d\n", writer, number));
    const WriteOutcome outcome = Send(batch);
    for (const RejectedSeries& rejected : outcome.rejected) {
      if (!rejected.is_over_series_limit) Fail("samples were rejected: " + rejected.reason);
      Say(absl::StrFormat("rejected %d %s\n", writer, std::string(rejected.labels.Get("series"))));
    }
    Say(absl::StrFormat("stored %d %d\n", writer, number));
    stored_[static_cast<size_t>(writer)] = number;
    // With a size limit, samples may be dropped between the acknowledgement and the check.
    const bool is_kept = LimitOf(life_) != Limit::kBytes && outcome.rejected.empty();
    if (is_kept && number % 8 == writer) CheckWritten(batch, first_deletion);
  }
}

bool Life::MayBeDeleted(const LabelSet& labels, int64_t time_ms, int64_t first,
                        int64_t last) const {
  for (int64_t number = first; number <= last; ++number) {
    const Deletion deletion = MakeDeletion(seed_, life_, number);
    if (deletion.range.Contains(time_ms) && deletion.Concerns(labels)) return true;
  }
  return false;
}

// Checks that acknowledged samples are there, unless a deletion since `first_deletion` covers them.
void Life::CheckWritten(const Batch& batch, int64_t first_deletion) const {
  for (const auto& [labels, times] : batch) {
    const std::vector<Matcher> matchers = {
        Matcher::Equal("job", std::string(labels.Get("job"))),
        Matcher::Equal("series", std::string(labels.Get("series")))};
    const Batch found = ReadAll(*store_, matchers, kAllTimes);
    const int64_t last_deletion = deletion_;
    const auto series = found.find(labels);
    for (const auto& [time_ms, value] : times) {
      if (series != found.end()) {
        const auto at = series->second.find(time_ms);
        if (at != series->second.end() && at->second == value) continue;
      }
      if (MayBeDeleted(labels, time_ms, first_deletion, last_deletion)) continue;
      Fail(absl::StrFormat("acknowledged and not there: %s at %d", labels.ToString(), time_ms));
    }
  }
}

void Life::Read() {
  for (int turn = 0;; turn = (turn + 1) % kWriterCount) {
    const std::vector<Matcher> matchers = {Matcher::Equal("job", "writer-" + std::to_string(turn))};
    (void)ReadAll(*store_, matchers, kAllTimes);
  }
}

void Life::Delete() {
  for (int64_t number = 0;; ++number) {
    deletion_ = number;
    const Deletion deletion = MakeDeletion(seed_, life_, number);
    std::array<int64_t, kWriterCount> stored;
    for (size_t writer = 0; writer < kWriterCount; ++writer) stored[writer] = stored_[writer];
    Say(absl::StrFormat("deleting %d\n", number));
    Must(store_->DeleteSeries(deletion.sets, deletion.range));
    Say(absl::StrFormat("deleted %d\n", number));
    CheckDeleted(deletion, stored);
    if (number % kDeletionsPerCleaning != 0) continue;
    Must(store_->CleanTombstones());
    Say("did clean\n");
  }
}

// Checks that nothing is left of what was acknowledged before the deletion.
void Life::CheckDeleted(const Deletion& deletion,
                        const std::array<int64_t, kWriterCount>& stored) const {
  for (const std::vector<Matcher>& matchers : deletion.sets) {
    for (const auto& [labels, times] : ReadAll(*store_, matchers, deletion.range)) {
      for (const auto& [time_ms, value] : times) {
        const BatchName name = BatchOfValue(value);
        if (name.life == life_ && name.number > stored[static_cast<size_t>(name.writer)]) continue;
        Fail(absl::StrFormat("deleted and still there: %s at %d", labels.ToString(), time_ms));
      }
    }
  }
}

void Life::BackUp() {
  while (true) {
    Must(store_->Backup(backups_, /*keep_count=*/2).status());
    Say("did backup\n");
  }
}

void Life::KeepHouse() {
  const uint64_t most_series = std::max(store_->stats().series_count, kMaxSeries);
  for (int64_t turn = life_;; ++turn) {
    Must(store_->DropExpired());
    Say("did drop\n");
    Must(store_->KeepWithinBudget());
    if (turn % kTurnsPerMerge == 0) {
      Must(store_->Settle());
      Say("did merge\n");
    } else {
      Must(store_->Seal());
      Say("did seal\n");
    }
    if (LimitOf(life_) == Limit::kSeries && store_->stats().series_count > most_series) {
      Fail("more series than the limit allows");
    }
  }
}

std::string FoundBefore(const std::string& folder) { return folder + ".found"; }

Batch LoadFound(const std::string& path) {
  Batch found;
  std::ifstream file(path);
  std::string name, job, series;
  size_t count = 0;
  while (file >> name >> job >> series >> count) {
    Times& times = found[LabelSet::Of({{kMetricName, name}, {"job", job}, {"series", series}})];
    int64_t time_ms = 0;
    double value = 0;
    for (; count > 0 && file >> time_ms >> value; --count) times.emplace(time_ms, value);
  }
  return found;
}

void SaveFound(const Batch& found, const std::string& path) {
  std::ofstream file(path);
  for (const auto& [labels, times] : found) {
    file << labels.metric_name() << ' ' << labels.Get("job") << ' ' << labels.Get("series") << ' '
         << times.size() << '\n';
    for (const auto& [time_ms, value] : times)
      file << absl::StrFormat("%d %.17g\n", time_ms, value);
  }
}

// Reads the life's reports.
void Hear(Expectation& expectation, int64_t life) {
  std::map<int64_t, std::set<std::string>> rejected;
  std::string what, series;
  int64_t writer = 0, number = 0;
  while (std::cin >> what) {
    if (what == "sent" && std::cin >> writer >> number) {
      expectation.Sent({life, writer, number});
    } else if (what == "stored" && std::cin >> writer >> number) {
      expectation.Stored({life, writer, number}, std::exchange(rejected[writer], {}));
    } else if (what == "rejected" && std::cin >> writer >> series) {
      rejected[writer].insert(series);
    } else if (what == "deleting" && std::cin >> number) {
      expectation.Deleting(number);
    } else if (what == "deleted" && std::cin >> number) {
      expectation.Deleted();
    } else if (what == "dropped" && std::cin >> number) {
      expectation.Dropped(number);
    } else {
      Fail("not understood: " + what);
    }
  }
  expectation.End();
}

// Checks that the life's last backup is complete and has only series and times that were sent. Its
// values may since have been overwritten.
void CheckBackup(const std::string& folder, int64_t life, const Expectation& expectation) {
  const std::unique_ptr<BackupFolder> backups =
      Must(BackupFolder::Open(BackupsOf(folder), kv::Env::Default()));
  const std::vector<BackupSummary> list = Must(backups->List());
  if (list.empty() || list.back().time_ms != NowMs(life)) return;
  const std::string restored = folder + ".restored";
  Must(backups->Restore(list.back().number, restored));
  const std::unique_ptr<Store> store = OpenStoreOf(restored, life, Limit::kNone);
  for (const auto& [labels, times] : ReadAll(*store, {}, kAllTimes)) {
    for (const auto& [time_ms, value] : times) {
      if (expectation.MayHaveBeenThere(labels, time_ms)) continue;
      Fail(absl::StrFormat("in a backup and never sent: %s at %d", labels.ToString(), time_ms));
    }
  }
  Must(store->Close());
  std::filesystem::remove_all(restored);
}

void Check(const std::string& folder, uint64_t seed, int64_t life) {
  Expectation expectation(seed, life, LoadFound(FoundBefore(folder)));
  Hear(expectation, life);
  CheckBackup(folder, life, expectation);
  const std::unique_ptr<Store> store = OpenStoreOf(folder, life, Limit::kNone);
  const Batch found = ReadAll(*store, {}, kAllTimes);
  expectation.Check(found);
  SaveFound(found, FoundBefore(folder));
  size_t sample_count = 0;
  for (const auto& [labels, times] : found) sample_count += times.size();
  absl::PrintF("%d\n", sample_count);
  // One life in three follows a clean stop.
  if (life % 3 == 0) Must(store->Close());
}

int Main(int argc, char** argv) {
  const std::string_view verb = argc == 5 ? argv[1] : "";
  if (verb == "run") Life(argv[2], std::strtoull(argv[3], nullptr, 10), std::atoll(argv[4])).Run();
  if (verb != "check") return 2;
  Check(argv[2], std::strtoull(argv[3], nullptr, 10), std::atoll(argv[4]));
  return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
