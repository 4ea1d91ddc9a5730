#include "base/memory/free_memory.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/memory/huge_pages.h"

namespace lockstep {
namespace {

constexpr int64_t kWorthwhileBytes = int64_t{64} << 20;
constexpr std::chrono::seconds kLookEvery{10};

// Resident memory that is not backed by a file, from proc(5); 0 if the system does not report it.
int64_t AnonymousBytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  long long resident_pages = 0;
  long long file_pages = 0;
  const int read_count = std::fscanf(file, "%*d %lld %lld", &resident_pages, &file_pages);
  std::fclose(file);
  return read_count == 2 ? (resident_pages - file_pages) * sysconf(_SC_PAGESIZE) : 0;
}

// Resident memory that is not allocated. Stacks and similar memory count too, but hardly change.
int64_t IdleBytes() {
  const struct mallinfo2 heap = mallinfo2();
  return AnonymousBytes() - static_cast<int64_t>(heap.uordblks + heap.hblkhd);
}

}  // namespace

void ReturnFreeMemory() { malloc_trim(0); }

FreeMemoryWatch::~FreeMemoryWatch() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    stopped_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void FreeMemoryWatch::Start() {
  thread_ = std::thread([this] { Run(); });
}

void FreeMemoryWatch::Run() {
  MutexLock lock(mutex_);
  while (!stop_) {
    stopped_.WaitFor(mutex_, kLookEvery);
    if (stop_) return;
    FreeIdleHuge();
    (void)Look();
  }
}

bool FreeMemoryWatch::Look() {
  const int64_t idle_bytes = IdleBytes();
  const bool is_worthwhile = idle_bytes >= idle_bytes_ + kWorthwhileBytes;
  if (is_worthwhile) ReturnFreeMemory();
  idle_bytes_ = is_worthwhile ? IdleBytes() : std::min(idle_bytes_, idle_bytes);
  return is_worthwhile;
}

}  // namespace lockstep
