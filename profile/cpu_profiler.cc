#include "profile/cpu_profiler.h"

#include <dirent.h>
#include <execinfo.h>
#include <signal.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "base/clock.h"
#include "profile/profile_builder.h"
#include "profile/symbol_table.h"

namespace lockstep::profile {
namespace {

constexpr size_t kMaxFrames = 64;

// The address at which a signal interrupted a thread; 0 if unknown on this architecture.
uint64_t AddressOf(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uint64_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#else
  (void)machine;
  return 0;
#endif
}

// The CPU clock of a thread, in the kernel's numbering: see clock_getcpuclockid(3) and the kernel's
// posix-timers.h.
clockid_t ClockOf(int thread) {
  constexpr int kThreadClock = 4;
  constexpr int kScheduled = 2;
  return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | kThreadClock | kScheduled);
}

}  // namespace

struct CpuProfiler::Samples {
  struct Sample {
    // Without the frames of the signal handler.
    std::vector<uint64_t> Stack() const;

    uint64_t address = 0;  // where the thread was
    int frame_count = 0;
    std::array<void*, kMaxFrames> frames;  // includes the signal handler's frames
  };

  explicit Samples(size_t max_count) : list(max_count) {}

  // The signal handler: it may only call async-signal-safe functions.
  static void OnSignal(int signal, siginfo_t* info, void* context);

  std::vector<Sample> list;
  std::atomic<size_t> count{0};  // requested samples; may exceed the available room

  static std::atomic<Samples*> current;
  static std::atomic<int> writers;  // handlers in progress
};

std::atomic<CpuProfiler::Samples*> CpuProfiler::Samples::current{nullptr};
std::atomic<int> CpuProfiler::Samples::writers{0};

std::vector<uint64_t> CpuProfiler::Samples::Sample::Stack() const {
  const auto* const end = frames.begin() + frame_count;
  const auto* begin = std::find(frames.begin(), end, reinterpret_cast<void*>(address));
  constexpr int kFramesOfHandler = 2;
  if (begin == end) begin = frames.begin() + std::min(kFramesOfHandler, frame_count);
  std::vector<uint64_t> stack;
  for (; begin != end; ++begin) stack.push_back(reinterpret_cast<uint64_t>(*begin));
  return stack;
}

void CpuProfiler::Samples::OnSignal(int /*signal*/, siginfo_t* /*info*/, void* context) {
  const int error = errno;
  writers.fetch_add(1);
  if (Samples* const samples = current.load()) {
    const size_t at = samples->count.fetch_add(1);
    if (at < samples->list.size()) {
      Sample& sample = samples->list[at];
      sample.address = AddressOf(context);
      sample.frame_count = backtrace(sample.frames.data(), static_cast<int>(kMaxFrames));
    }
  }
  writers.fetch_sub(1);
  errno = error;
}

absl::StatusOr<std::unique_ptr<CpuProfiler>> CpuProfiler::Start(size_t max_samples) {
  MemoryCharge memory(MemoryAccount::kQueries);
  LOCKSTEP_RETURN_IF_ERROR(memory.Add(max_samples * sizeof(Samples::Sample)));
  // The first call loads the code that walks stacks, which a handler must not do.
  std::array<void*, 1> frame;
  (void)backtrace(frame.data(), 1);
  struct sigaction action {};
  action.sa_sigaction = Samples::OnSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGPROF, &action, nullptr) != 0) {
    return absl::InternalError(absl::StrFormat("cannot handle SIGPROF: %s", std::strerror(errno)));
  }
  std::unique_ptr<CpuProfiler> profiler(new CpuProfiler(max_samples, std::move(memory)));
  Samples* nobody = nullptr;
  if (!Samples::current.compare_exchange_strong(nobody, profiler->samples_.get())) {
    profiler->is_running_ = false;
    return absl::FailedPreconditionError("another CPU profile is in progress");
  }
  profiler->FindThreads();
  return profiler;
}

CpuProfiler::CpuProfiler(size_t max_samples, MemoryCharge memory)
    : memory_(std::move(memory)),
      samples_(std::make_unique<Samples>(max_samples)),
      begin_ns_(SystemTimeNs()),
      begin_(std::chrono::steady_clock::now()) {}

CpuProfiler::~CpuProfiler() { Stop(); }

void CpuProfiler::FindThreads() {
  DIR* const folder = opendir("/proc/self/task");
  if (folder == nullptr) return;
  while (const dirent* const entry = readdir(folder)) {
    const std::string_view name = entry->d_name;
    int thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec != std::errc()) continue;
    if (timers_.contains(thread)) continue;
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event._sigev_un._tid = thread;
    timer_t timer{};
    // The thread may have ended in the meantime.
    if (timer_create(ClockOf(thread), &event, &timer) != 0) continue;
    itimerspec period{};
    period.it_interval.tv_nsec = std::chrono::nanoseconds(kPeriod).count();
    period.it_value = period.it_interval;
    timer_settime(timer, 0, &period, nullptr);
    timers_.emplace(thread, timer);
  }
  closedir(folder);
}

size_t CpuProfiler::sample_count() const { return std::min(asked_count(), samples_->list.size()); }

size_t CpuProfiler::asked_count() const { return samples_->count.load(); }

void CpuProfiler::Stop() {
  if (!std::exchange(is_running_, false)) return;
  for (const auto& [thread, timer] : timers_) timer_delete(timer);
  Samples::current = nullptr;
  while (Samples::writers.load() != 0) std::this_thread::yield();
}

std::string CpuProfiler::Finish() {
  Stop();
  const auto duration = std::chrono::steady_clock::now() - begin_;
  const int64_t period_ns = std::chrono::nanoseconds(kPeriod).count();
  const SymbolTable table = SymbolTable::OfProcess();
  absl::flat_hash_map<std::vector<uint64_t>, int64_t> counts;
  for (size_t i = 0; i < sample_count(); ++i) ++counts[samples_->list[i].Stack()];
  ProfileBuilder builder({{"samples", "count"}, {"cpu", "nanoseconds"}});
  for (const auto& [stack, count] : counts) {
    const int64_t values[] = {count, count * period_ns};
    builder.AddStack(stack, values, table);
  }
  builder.SetTime(begin_ns_, std::chrono::nanoseconds(duration).count());
  builder.SetPeriod({"cpu", "nanoseconds"}, period_ns);
  if (const size_t asked = asked_count(); asked > samples_->list.size()) {
    builder.AddComment(absl::StrFormat("%d samples were omitted: only the first %d are included",
                                       asked - samples_->list.size(), samples_->list.size()));
  }
  return builder.Finish();
}

}  // namespace lockstep::profile
