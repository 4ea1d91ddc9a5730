#include "storage/db/write/shard_writer.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "storage/db/rows/row_cutter.h"
#include "storage/db/rows/window.h"
#include "storage/db/write/rejection.h"

namespace lockstep {
namespace {

// However many series there are, a head is sealed with some dozens of samples of each. A good third
// of this size is tables and unused room: sealing samples one by one costs more than all the rest.
constexpr size_t kMinHeadBytesPerSeries = 320;

// Samples of a series in a head are read from the first one on, sealed samples by the row. So a
// head that has enough samples for full rows is sealed before it is full, if the number of rows
// makes it worthwhile.
constexpr size_t kRipeHeadBytes = size_t{4} << 20;
// A head whose newest sample is older holds a history that is being sent. It waits until it is
// full: fewer seals put larger runs into the many windows, and fewer merges rewrite them.
constexpr int64_t kHistoryAgeMs = int64_t{60} * 60 * 1000;

// Writes up to this size do not wait for larger ones.
constexpr size_t kSmallWriteBytes = size_t{1} << 20;

bool IsSmall(const QueuedWrite& write) { return write.byte_count <= kSmallWriteBytes; }

// One of several tasks that a thread waits for.
struct TaskDone {
  Mutex mutex;
  CondVar changed;
  bool done LOCKSTEP_GUARDED_BY(mutex) = false;
};

// The time of the newest sample in one part of a request.
int64_t NewestMs(const QueuedWrite& write) {
  int64_t newest_ms = std::numeric_limits<int64_t>::min();
  const auto raise = [&newest_ms](const auto& samples) {
    for (const auto& sample : samples) newest_ms = std::max(newest_ms, sample.timestamp_ms);
  };
  for (const SeriesWrite& series : write.series) {
    raise(series.samples);
    raise(series.histograms);
  }
  for (const KnownSample& known : write.known) {
    newest_ms = std::max(newest_ms, known.sample.timestamp_ms);
  }
  return newest_ms;
}

}  // namespace

ShardWriter::ShardWriter(ShardState& shard, const WriterLimits& limits,
                         std::function<void()> on_freeze)
    : shard_(shard),
      limits_(limits),
      now_ms_(BelievedTimeOf(limits.clock)),
      on_freeze_(std::move(on_freeze)),
      group_(shard) {}

ShardWriter::~ShardWriter() { Abort(); }

void ShardWriter::Start() {
  head_began_ms_ = now_ms_();
  {
    MutexLock lock(mutex_);
    LOCKSTEP_CHECK(state_ == State::kIdle);
    state_ = State::kRunning;
  }
  thread_ = std::thread([this] { Run(); });
}

void ShardWriter::End(State state) {
  {
    MutexLock lock(mutex_);
    if (state_ == State::kIdle) state_ = State::kStopped;
    if (state_ != State::kStopped) state_ = state;
    work_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

size_t& ShardWriter::ReservedBytes(size_t byte_count) {
  return byte_count <= kSmallWriteBytes ? reserved_small_bytes_ : reserved_large_bytes_;
}

absl::Status ShardWriter::Reserve(size_t byte_count) {
  MutexLock lock(mutex_);
  if (state_ != State::kRunning) return absl::UnavailableError("the store is closing");
  size_t& reserved_bytes = ReservedBytes(byte_count);
  if (reserved_requests_ >= limits_.max_queue_requests ||
      (reserved_bytes > 0 && reserved_bytes + byte_count > limits_.max_queue_bytes)) {
    return absl::ResourceExhaustedError(
        "the write queue is full: " + std::to_string(reserved_requests_) + " requests with " +
        std::to_string(reserved_large_bytes_ + reserved_small_bytes_) + " bytes are waiting");
  }
  ++reserved_requests_;
  reserved_bytes += byte_count;
  shard_.counters.queue_depth = reserved_requests_;
  return absl::OkStatus();
}

void ShardWriter::Unreserve(size_t byte_count) {
  MutexLock lock(mutex_);
  --reserved_requests_;
  ReservedBytes(byte_count) -= byte_count;
  shard_.counters.queue_depth = reserved_requests_;
}

void ShardWriter::Enqueue(QueuedWrite write) {
  {
    MutexLock lock(mutex_);
    if (state_ != State::kStopped) {
      queue_.push_back(std::move(write));
      work_.NotifyOne();
      return;
    }
  }
  write.pending->PartDone(absl::UnavailableError("the store is closed"));
}

bool ShardWriter::RunTask(Task task) {
  const auto done = std::make_shared<TaskDone>();
  {
    MutexLock lock(mutex_);
    if (state_ == State::kIdle || state_ == State::kStopped) return false;
    tasks_.push_back([task = std::move(task), done]() mutable {
      task();
      MutexLock lock(done->mutex);
      done->done = true;
      done->changed.NotifyAll();
    });
    work_.NotifyOne();
  }
  MutexLock lock(done->mutex);
  while (!done->done) done->changed.Wait(done->mutex);
  return true;
}

void ShardWriter::Run() {
  while (true) {
    Work work = NextWork();
    for (Task& task : work.tasks) task();
    if (work.aborted) {
      for (const QueuedWrite& write : work.writes) {
        write.pending->PartDone(absl::UnavailableError("the store was closed"));
      }
    } else if (!work.writes.empty()) {
      Process(work.writes);
    }
    if (work.stop) return;
  }
}

bool ShardWriter::IsFull(const Head& head) const {
  return head.byte_count() >=
         std::max(limits_.head_bytes, head.slot_count() * kMinHeadBytesPerSeries);
}

bool ShardWriter::IsRipe(const Head& head) const {
  return head.byte_count() >= kRipeHeadBytes && head.range().max_ms >= now_ms_() - kHistoryAgeMs &&
         head.sample_count() / kMaxRowSamplesPerSeries >= head.slot_count();
}

// The head has used its memory, and so has the previous one, which is being sealed.
bool ShardWriter::IsBlocked() const {
  const WriterReads reads(shard_);
  return shard_.frozen != nullptr && IsFull(*shard_.active);
}

ShardWriter::Work ShardWriter::NextWork() {
  const bool is_blocked = IsBlocked();
  Work work;
  MutexLock lock(mutex_);
  while (state_ == State::kRunning && tasks_.empty() && (queue_.empty() || is_blocked)) {
    work_.Wait(mutex_);
  }
  work.tasks.swap(tasks_);
  work.aborted = state_ == State::kAborting;
  if (!is_blocked || state_ != State::kRunning) work.writes.swap(queue_);
  if (state_ != State::kRunning) {
    state_ = State::kStopped;
    work.stop = true;
  }
  return work;
}

absl::Status ShardWriter::CheckRoom() const {
  const absl::StatusOr<uint64_t> free_bytes = shard_.env->FreeBytes(shard_.folder);
  if (!free_bytes.ok() || *free_bytes >= limits_.min_free_bytes) return absl::OkStatus();
  return absl::UnavailableError("the disk is full: " + std::to_string(*free_bytes) +
                                " bytes are free, writes need " +
                                std::to_string(limits_.min_free_bytes));
}

absl::Status ShardWriter::CheckWritable() {
  absl::Status status = shard_.kv->CheckFiles();
  if (status.ok()) status = CheckRoom();
  if (status.ok()) status = shard_.kv->Resume();
  const bool was_read_only = shard_.counters.read_only.exchange(!status.ok());
  if (was_read_only && status.ok()) {
    Log(LogLevel::kInfo, "writes are accepted again", {{"shard", shard_.folder}});
  }
  if (!was_read_only && !status.ok()) {
    Log(LogLevel::kError, "writes are refused", {{"shard", shard_.folder}, {"why", status}});
  }
  return status;
}

void ShardWriter::Process(std::vector<QueuedWrite>& writes) {
  const absl::Status writable = CheckWritable();
  batch_time_ = limits_.clock->Now();
  if (!batch_time_.is_trusted) TellClock(writes);
  limits_of_all_ = LimitsOf(limits_.retention.ShortestKeepMs());
  {
    const WriterReads reads(shard_);
    if (shard_.active->sample_count() == 0) head_began_ms_ = batch_time_.believed_ms;
  }
  std::stable_partition(writes.begin(), writes.end(), IsSmall);
  AddWrites(writes, writable);
  Commit();
  FreezeIfDue();
}

void ShardWriter::AddWrites(std::span<const QueuedWrite> writes, const absl::Status& writable) {
  for (const QueuedWrite& write : writes) {
    Answer& answer = answers_.emplace_back();
    answer.pending = write.pending;
    answer.status = writable;
    gives_way_ = !IsSmall(write);
    if (writable.ok()) AddWrite(write);
    answers_.back().is_complete = true;
    Unreserve(write.byte_count);
  }
}

void ShardWriter::CommitIfFull() {
  if (!group_.full()) return;
  Commit();
  if (gives_way_ && answers_.back().status.ok() && !IsBlocked()) AddSmallWrites();
}

// Called after a commit within a large write, whose answer is the only one left.
void ShardWriter::AddSmallWrites() {
  const std::vector<QueuedWrite> writes = TakeSmallWrites();
  if (writes.empty()) return;
  if (!batch_time_.is_trusted) TellClock(writes);
  Answer large = std::move(answers_.back());
  answers_.clear();
  AddWrites(writes, absl::OkStatus());
  Commit();
  answers_.push_back(std::move(large));
  gives_way_ = true;
}

std::vector<QueuedWrite> ShardWriter::TakeSmallWrites() {
  MutexLock lock(mutex_);
  if (state_ != State::kRunning) return {};
  const auto large = std::stable_partition(queue_.begin(), queue_.end(), IsSmall);
  std::vector<QueuedWrite> writes(std::make_move_iterator(queue_.begin()),
                                  std::make_move_iterator(large));
  queue_.erase(queue_.begin(), large);
  return writes;
}

void ShardWriter::TellClock(const std::vector<QueuedWrite>& writes) {
  for (const QueuedWrite& write : writes) limits_.clock->HearSender(NewestMs(write));
}

ShardWriter::TimeLimits ShardWriter::LimitsOf(int64_t keep_ms) const {
  return {{std::max(batch_time_.expiry_ms - keep_ms, kStorableTimes.min_ms),
           std::min(batch_time_.latest_ms + kMaxFutureMs, kStorableTimes.max_ms)},
          keep_ms};
}

// The general limits if that is enough; otherwise those of the series are looked up.
ShardWriter::TimeLimits ShardWriter::LimitsOf(const SeriesWrite& write) const {
  const int64_t oldest_ms = limits_of_all_.accepted.min_ms;
  const auto is_older = [oldest_ms](const auto& sample) { return sample.timestamp_ms < oldest_ms; };
  const bool has_older = std::any_of(write.samples.begin(), write.samples.end(), is_older) ||
                         std::any_of(write.histograms.begin(), write.histograms.end(), is_older);
  return has_older ? LimitsOf(limits_.retention.KeepMs(write.labels)) : limits_of_all_;
}

ShardWriter::TimeLimits ShardWriter::LimitsOf(const KnownSample& sample) const {
  const WriterReads reads(shard_);
  const SeriesIndex& index = shard_.dictionary.index();
  if (sample.sample.timestamp_ms >= limits_of_all_.accepted.min_ms ||
      !index.Contains(sample.series.id)) {
    return limits_of_all_;
  }
  return LimitsOf(limits_.retention.KeepMs(index.Labels(sample.series.id)));
}

void ShardWriter::AddWrite(const QueuedWrite& write) {
  const std::span<const KnownSample> known(write.known);
  for (size_t begin = 0; begin < known.size(); begin += kMaxSliceFloats) {
    AddKnown(known.subspan(begin, std::min(kMaxSliceFloats, known.size() - begin)));
  }
  for (size_t i = 0; i < write.series.size() && answers_.back().status.ok(); ++i) {
    AddSeries(write.series[i], write.series_indices.empty() ? i : write.series_indices[i]);
  }
}

void ShardWriter::AddKnown(std::span<const KnownSample> samples) {
  SliceCounts counts;
  left_.clear();
  group_.AddKnown(samples, limits_of_all_.accepted, counts, left_);
  Count(counts);
  for (const KnownSample& sample : left_) {
    if (answers_.back().status.ok()) AddLeft(sample);
  }
  CommitIfFull();
}

void ShardWriter::AddLeft(const KnownSample& sample) {
  SliceCounts counts;
  const TimeLimits limits = LimitsOf(sample);
  const absl::Status status = group_.AddLeft(sample, limits.accepted, counts);
  Answer& answer = answers_.back();
  if (!status.ok()) answer.status = status;
  Count(counts);
  // A known series never exceeds a limit of series.
  std::string why = WhyRejected(counts, limits.keep_ms, LabelSet(), *shard_.series_limit);
  if (why.empty()) return;
  const WriterReads reads(shard_);
  ++answer.outcome.rejected_count;
  answer.outcome.rejected.push_back({std::numeric_limits<size_t>::max(), 1, std::move(why), false,
                                     shard_.dictionary.index().Labels(sample.series.id)});
}

void ShardWriter::Count(const SliceCounts& counts) {
  Answer& answer = answers_.back();
  answer.outcome.written_count += counts.written;
  answer.outcome.duplicate_count += counts.duplicate;
  answer.outcome.overwritten_count += counts.overwritten;
  answer.out_of_order_count += counts.out_of_order;
}

void ShardWriter::AddSeries(const SeriesWrite& write, size_t series_index) {
  std::string why = WhyUnstorable(write);
  const TimeLimits limits = LimitsOf(write);
  SliceCounts counts;
  uint64_t rejected = 0;
  if (why.empty()) {
    const absl::Status status = AddSlices(write, limits.accepted, counts);
    if (!status.ok()) answers_.back().status = status;
    why = WhyRejected(counts, limits.keep_ms, write.labels, *shard_.series_limit);
    rejected = counts.too_old + counts.too_new + counts.over_series_limit;
  } else {
    rejected = write.samples.size() + write.histograms.size();
  }
  Count(counts);
  Answer& answer = answers_.back();
  answer.outcome.rejected_count += rejected;
  if (rejected > 0) {
    answer.outcome.rejected.push_back(
        {series_index, rejected, std::move(why), counts.over_series_limit > 0, write.labels});
  }
}

absl::Status ShardWriter::AddSlices(const SeriesWrite& write, TimeRange accepted,
                                    SliceCounts& counts) {
  SampleSlice left{write.samples, write.start_timestamps_ms, write.histograms};
  while (!left.empty()) {
    LOCKSTEP_RETURN_IF_ERROR(group_.Add(write.labels, left.TakeFirst(), accepted, counts));
    CommitIfFull();
    if (!answers_.back().status.ok()) return answers_.back().status;
  }
  return absl::OkStatus();
}

void ShardWriter::Commit() {
  absl::Status status = group_.Commit();
  if (!status.ok()) {
    status = Annotate(status, "writing to the journal");
    if (!shard_.counters.read_only.exchange(true)) {
      Log(LogLevel::kError, "writes are refused", {{"shard", shard_.folder}, {"why", status}});
    }
  }
  std::vector<Answer> answers = std::exchange(answers_, {});
  for (Answer& answer : answers) {
    if (answer.status.ok()) answer.status = status;
    if (answer.is_complete) {
      Respond(std::move(answer));
    } else {
      answers_.push_back(std::move(answer));
    }
  }
}

void ShardWriter::Respond(Answer answer) {
  ShardCounters& counters = shard_.counters;
  if (!answer.status.ok()) {
    ++counters.failed_writes;
    answer.pending->PartDone(std::move(answer.status));
    return;
  }
  const WriteOutcome& outcome = answer.outcome;
  counters.appended_samples += outcome.written_count + outcome.overwritten_count;
  counters.duplicate_samples += outcome.duplicate_count;
  counters.overwritten_samples += outcome.overwritten_count;
  counters.rejected_samples += outcome.rejected_count;
  counters.out_of_order_samples += answer.out_of_order_count;
  answer.pending->PartDone(std::move(answer.outcome));
}

bool ShardWriter::IsFreezeDue() const {
  const WriterReads reads(shard_);
  const Head& head = *shard_.active;
  if (head.sample_count() == 0) return false;
  const bool is_old = now_ms_() - head_began_ms_ >= limits_.head_age_ms;
  return is_old || IsFull(head) || IsRipe(head);
}

void ShardWriter::FreezeIfDue() {
  if (IsFreezeDue()) Freeze();
}

void ShardWriter::Freeze() {
  {
    const WriterReads reads(shard_);
    if (shard_.frozen != nullptr || shard_.active->sample_count() == 0) return;
  }
  {
    WriterLock lock(shard_.mutex);
    shard_.frozen = std::exchange(shard_.active, std::make_shared<Head>());
    shard_.frozen_generation = shard_.next_sequence - 1;
  }
  head_began_ms_ = now_ms_();
  on_freeze_();
}

}  // namespace lockstep
