// Simulates power cuts at random moments while a store is under load, and checks what is on disk
// afterwards.
//
//   power_loss ROUNDS SEED
//     Makes ROUNDS power cuts in one process, over kv::PowerEnv. Reports each round on standard
//     error and a summary on standard output. Exits with 1 at the first sample that is lost,
//     duplicated or unexpected.
//
// In each round writers send samples in order, late, as overwrites and of new series, while other
// threads delete, read, seal, merge and drop expired data. Some cuts happen while the store opens.
#include <array>
#include <cstdint>
#include <filesystem>
#include <future>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/mutex.h"
#include "storage/kv/faults/power_env.h"
#include "tests/durability/expectation.h"
#include "tests/durability/load.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

constexpr TimeRange kAllTimes{INT64_MIN, INT64_MAX};
// The first changes of a life open the store. Some cuts happen among them, most later.
constexpr uint64_t kOpeningChanges = 60;
constexpr uint64_t kMostChanges = 4000;
// Without pauses between deletions, little would be left to lose.
constexpr uint64_t kBatchesPerDeletion = 12;
constexpr int64_t kDeletionsPerCleaning = 4;

struct Counts {
  uint64_t stored = 0;
  uint64_t deleted = 0;
  uint64_t turns_of_house = 0;
  uint64_t cut_opening = 0;
};

// From opening the store to the power cut. Lives have even numbers here, so none has a size limit.
class Life {
 public:
  Life(uint64_t seed, int64_t life, StoreOptions options, kv::PowerEnv& power, const Batch& before)
      : seed_(seed),
        life_(life),
        options_(std::move(options)),
        power_(power),
        expectation_(seed, life, before) {}

  // Returns when the power is off and no thread uses the files.
  void Run(Counts& counts) {
    absl::StatusOr<std::unique_ptr<Store>> store = OpenStore(options_);
    if (!store.ok()) {
      if (!power_.is_off()) Must(store.status());
      ++counts.cut_opening;
      return;
    }
    store_ = *std::move(store);
    AwaitTrustedClock(*store_);
    std::vector<std::thread> threads;
    for (int64_t writer = 0; writer < kWriterCount; ++writer) {
      threads.emplace_back([this, writer, &counts] { Write(writer, counts); });
    }
    threads.emplace_back([this, &counts] { Delete(counts); });
    threads.emplace_back([this] { Read(); });
    KeepHouse(counts);
    for (std::thread& thread : threads) thread.join();
    store_ = nullptr;
  }

  Expectation& expectation() { return expectation_; }

 private:
  bool Went(const absl::Status& status) {
    if (!status.ok() && !power_.is_off()) Must(status);
    return status.ok();
  }
  absl::Status Send(const Batch& batch);
  void Write(int64_t writer, Counts& counts);
  bool AwaitBatches(const Counts& counts);
  void Delete(Counts& counts);
  void Read();
  void KeepHouse(Counts& counts);

  const uint64_t seed_;
  const int64_t life_;
  const StoreOptions options_;
  kv::PowerEnv& power_;
  std::unique_ptr<Store> store_;
  Mutex mutex_;
  CondVar stored_;
  int running_writers_ = kWriterCount;  // guarded by `mutex_`
  Expectation expectation_;             // guarded by `mutex_` while threads run
};

// Retries if a series was dropped in the meantime.
absl::Status Life::Send(const Batch& batch) {
  while (true) {
    WriteRequest request;
    for (const auto& [labels, times] : batch) {
      SeriesWrite write{labels, {}, {}};
      for (const auto& [time_ms, value] : times) write.samples.push_back({time_ms, value});
      request.series.push_back(std::move(write));
    }
    std::promise<absl::StatusOr<WriteOutcome>> answer;
    store_->Write(std::move(request), [&answer](absl::StatusOr<WriteOutcome> result) {
      answer.set_value(std::move(result));
    });
    const absl::StatusOr<WriteOutcome> outcome = answer.get_future().get();
    if (outcome.ok() && !outcome->rejected.empty()) Fail(outcome->rejected.front().reason);
    if (!absl::IsUnavailable(outcome.status()) || power_.is_off()) return outcome.status();
  }
}

void Life::Write(int64_t writer, Counts& counts) {
  for (int64_t number = 0; !power_.is_off(); ++number) {
    const Batch batch = MakeBatch(seed_, {life_, writer, number});
    {
      MutexLock lock(mutex_);
      expectation_.Sent({life_, writer, number});
    }
    if (!Went(Send(batch))) break;
    MutexLock lock(mutex_);
    expectation_.Stored({life_, writer, number}, {});
    ++counts.stored;
    stored_.NotifyAll();
  }
  MutexLock lock(mutex_);
  --running_writers_;
  stored_.NotifyAll();
}

// Returns false if the power goes off first.
bool Life::AwaitBatches(const Counts& counts) {
  MutexLock lock(mutex_);
  const uint64_t wanted = counts.stored + kBatchesPerDeletion;
  while (counts.stored < wanted && running_writers_ > 0) stored_.Wait(mutex_);
  return running_writers_ > 0;
}

void Life::Delete(Counts& counts) {
  for (int64_t number = 0;; ++number) {
    if (!AwaitBatches(counts)) return;
    const Deletion deletion = MakeDeletion(seed_, life_, number);
    {
      MutexLock lock(mutex_);
      expectation_.Deleting(number);
    }
    if (!Went(store_->DeleteSeries(deletion.sets, deletion.range))) return;
    {
      MutexLock lock(mutex_);
      expectation_.Deleted();
      ++counts.deleted;
    }
    if (number % kDeletionsPerCleaning == 0 && !Went(store_->CleanTombstones())) return;
  }
}

void Life::Read() {
  while (!power_.is_off()) (void)ReadAll(*store_, {}, kAllTimes);
}

void Life::KeepHouse(Counts& counts) {
  for (int64_t turn = life_ / 2;; ++turn) {
    if (!Went(store_->DropExpired())) return;
    if (!Went(turn % 4 == 0 ? store_->Settle() : store_->Seal())) return;
    ++counts.turns_of_house;
  }
}

class PowerLoss {
 public:
  explicit PowerLoss(uint64_t seed)
      : seed_(seed), random_(seed), power_(kv::PowerEnv::Make(folder_.path(), seed)) {}

  void Run(int64_t rounds) {
    for (int64_t round = 0; round < rounds; ++round) Round(round);
    absl::PrintF(
        "seed %d: %d power cuts, %d of them while it was opened; %d batches acknowledged, %d "
        "deletions, "
        "%d rounds of seals, merges and drops; %d samples there at the end: none lost, none twice, "
        "none "
        "back\n",
        seed_, rounds + more_cuts_, counts_.cut_opening, counts_.stored, counts_.deleted,
        counts_.turns_of_house, sample_count_);
  }

 private:
  uint64_t Below(uint64_t end) { return random_() % end; }
  StoreOptions OptionsOf(int64_t life) {
    StoreOptions options = lockstep::OptionsOf(folder_.path() + "/data", life, Limit::kNone);
    options.env = power_;
    return options;
  }
  void Restore() { Must(power_->RestorePower()); }

  void Round(int64_t round) {
    const int64_t life = 2 * round;
    const uint64_t changes = 1 + Below(Below(8) == 0 ? kOpeningChanges : kMostChanges);
    absl::FPrintF(stderr, "round %d of seed %d: the power goes at change %d\n", round, seed_,
                  changes);
    power_->CutPowerAfter(changes);
    Life of(seed_, life, OptionsOf(life), *power_, found_);
    of.Run(counts_);
    of.expectation().End();
    Restore();
    // The power may also go off during the next start.
    while (Below(4) == 0) {
      power_->CutPowerAfter(1 + Below(kOpeningChanges));
      (void)OpenStore(OptionsOf(life));
      ++more_cuts_;
      Restore();
    }
    Judge(of.expectation(), life, round);
  }

  void Judge(const Expectation& expectation, int64_t life, int64_t round) {
    const std::unique_ptr<Store> store = Must(OpenStore(OptionsOf(life)));
    AwaitTrustedClock(*store);
    found_ = ReadAll(*store, {}, kAllTimes);
    expectation.Check(found_);
    sample_count_ = 0;
    for (const auto& [labels, times] : found_) sample_count_ += times.size();
    // One life in three follows a clean stop.
    if (round % 3 == 0) Must(store->Close());
  }

  const uint64_t seed_;
  std::mt19937_64 random_;
  const TestFolder folder_;
  const std::shared_ptr<kv::PowerEnv> power_;
  Batch found_;
  Counts counts_;
  int64_t more_cuts_ = 0;
  size_t sample_count_ = 0;
};

int Main(int argc, char** argv) {
  if (argc != 3) return 2;
  PowerLoss(std::strtoull(argv[2], nullptr, 10)).Run(std::atoll(argv[1]));
  return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
