#include "api/admin/profile_handlers.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "profile/heap_profile.h"

namespace lockstep::api {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kDefaultDuration{30};
constexpr std::chrono::seconds kLongestDuration{300};
// How often to look for new threads and disconnected clients.
constexpr std::chrono::milliseconds kLookEvery{100};

absl::StatusOr<std::chrono::seconds> DurationOf(const Form& form) {
  const std::string_view text = form.Get("seconds");
  if (text.empty()) return kDefaultDuration;
  const absl::StatusOr<int64_t> seconds = ParseInteger(text);
  if (seconds.ok() && *seconds >= 1 && *seconds <= kLongestDuration.count()) {
    return std::chrono::seconds(*seconds);
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("seconds must be a whole number from 1 to %d", kLongestDuration.count()));
}

// As many as all cores together can produce.
size_t MaxSamplesWithin(std::chrono::seconds duration) {
  const size_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  const auto periods = static_cast<size_t>(duration / profile::CpuProfiler::kPeriod);
  return std::min(periods * (cores + 1), profile::CpuProfiler::kMaxSamples);
}

Response FileReply(std::string_view name, std::string content) {
  Response response;
  response.content_type = "application/octet-stream";
  response.headers.push_back(
      {"Content-Disposition", absl::StrFormat("attachment; filename=\"%s\"", name)});
  response.body = std::move(content);
  return response;
}

Response Refusal(const absl::Status& status) {
  // A profile is already running.
  if (absl::IsFailedPrecondition(status)) return TextReply(409, Message(status));
  return PlainFailureReply(status);
}

}  // namespace

ProfileRunner::~ProfileRunner() {
  Stop();
  std::thread thread;
  {
    const MutexLock lock(mutex_);
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();
}

void ProfileRunner::Profile(Call call, Respond respond) {
  const absl::StatusOr<std::chrono::seconds> duration = DurationOf(call.form);
  if (!duration.ok()) return respond(Refusal(duration.status()));
  std::optional<Response> refusal;
  {
    const MutexLock lock(mutex_);
    if (is_stopping_) {
      refusal = TextReply(503, "the server is shutting down");
    } else if (is_running_) {
      refusal = TextReply(409, "another CPU profile is in progress");
    } else if (auto profiler = profile::CpuProfiler::Start(MaxSamplesWithin(*duration));
               !profiler.ok()) {
      refusal = Refusal(profiler.status());
    } else {
      // It has already responded, or is about to.
      if (thread_.joinable()) thread_.join();
      is_running_ = true;
      Job job{*std::move(profiler), *duration, call.request.cancel, std::move(respond)};
      thread_ = std::thread([this, job = std::move(job)]() mutable {
        pthread_setname_np(pthread_self(), "cpu-profile");
        Response response = Run(job);
        job.profiler.reset();
        {
          const MutexLock done(mutex_);
          is_running_ = false;
        }
        job.respond(std::move(response));
      });
      return;
    }
  }
  respond(*std::move(refusal));
}

Response ProfileRunner::Run(Job& job) {
  const auto end = steady_clock::now() + job.duration;
  while (steady_clock::now() < end) {
    job.profiler->FindThreads();
    if (job.cancel != nullptr && job.cancel->fired())
      return TextReply(499, "the client disconnected");
    const MutexLock lock(mutex_);
    if (is_stopping_) return TextReply(503, "the server is shutting down");
    stopped_.WaitFor(mutex_, kLookEvery);
  }
  return FileReply("profile", job.profiler->Finish());
}

void ProfileRunner::Stop() {
  const MutexLock lock(mutex_);
  is_stopping_ = true;
  stopped_.NotifyAll();
}

Response HandleProfileIndex() {
  return TextReply(200,
                   "Profiles for `go tool pprof`:\n"
                   "\n"
                   "profile?seconds=30  CPU profile of 1 to 300 seconds\n"
                   "heap                memory use, by account of its budget\n"
                   "cmdline             command line of this process");
}

Response HandleHeapProfile() {
  return FileReply("heap", profile::HeapProfile(profile::ReadHeapState()));
}

Response HandleCommandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  Response response;
  response.body.assign(std::istreambuf_iterator<char>(file), {});
  return response;
}

}  // namespace lockstep::api
