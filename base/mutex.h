// Locks with annotations that let the compiler check guarded fields: thin wrappers of the standard
// ones.
//
// We do not use absl::Mutex: the packaged library is a debug build that aborts on lock-order cycles
// and makes ThreadSanitizer report false races.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include "base/thread_annotations.h"

namespace lockstep {

class LOCKSTEP_CAPABILITY("mutex") Mutex {
 public:
  void Lock() LOCKSTEP_ACQUIRE() { mutex_.lock(); }
  void Unlock() LOCKSTEP_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds a Mutex for its own lifetime.
class LOCKSTEP_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) LOCKSTEP_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() LOCKSTEP_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class LOCKSTEP_CAPABILITY("mutex") SharedMutex {
 public:
  void Lock() LOCKSTEP_ACQUIRE() { mutex_.lock(); }
  void Unlock() LOCKSTEP_RELEASE() { mutex_.unlock(); }
  void LockShared() LOCKSTEP_ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void UnlockShared() LOCKSTEP_RELEASE_SHARED() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

class LOCKSTEP_SCOPED_CAPABILITY WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) LOCKSTEP_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~WriterLock() LOCKSTEP_RELEASE() { mutex_.Unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class LOCKSTEP_SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) LOCKSTEP_ACQUIRE_SHARED(mutex) : mutex_(mutex) {
    mutex_.LockShared();
  }
  ~ReaderLock() LOCKSTEP_RELEASE_GENERIC() { mutex_.UnlockShared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

// A condition variable for Mutex. Callers loop over their condition themselves, which keeps the
// guarded reads visible to the thread-safety analysis.
class CondVar {
 public:
  // Precondition of both: the calling thread holds `mutex`.
  void Wait(Mutex& mutex) LOCKSTEP_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    cv_.wait(lock);
    lock.release();
  }
  // Returns after a notification, spuriously, or after `timeout`.
  void WaitFor(Mutex& mutex, std::chrono::nanoseconds timeout) LOCKSTEP_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    cv_.wait_for(lock, timeout);
    lock.release();
  }
  void NotifyOne() { cv_.notify_one(); }
  void NotifyAll() { cv_.notify_all(); }

 private:
  std::condition_variable cv_;
};

}  // namespace lockstep
