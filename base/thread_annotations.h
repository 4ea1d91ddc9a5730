// Macros for clang's thread-safety attributes; empty for other compilers. Source: the Clang manual,
// "Thread Safety Analysis".
#pragma once

#if defined(__clang__)
#define LOCKSTEP_THREAD_ATTRIBUTE_(x) __attribute__((x))
#else
#define LOCKSTEP_THREAD_ATTRIBUTE_(x)
#endif

#define LOCKSTEP_CAPABILITY(x) LOCKSTEP_THREAD_ATTRIBUTE_(capability(x))
#define LOCKSTEP_SCOPED_CAPABILITY LOCKSTEP_THREAD_ATTRIBUTE_(scoped_lockable)
#define LOCKSTEP_GUARDED_BY(x) LOCKSTEP_THREAD_ATTRIBUTE_(guarded_by(x))
#define LOCKSTEP_REQUIRES(...) LOCKSTEP_THREAD_ATTRIBUTE_(requires_capability(__VA_ARGS__))
#define LOCKSTEP_REQUIRES_SHARED(...) \
  LOCKSTEP_THREAD_ATTRIBUTE_(requires_shared_capability(__VA_ARGS__))
#define LOCKSTEP_ACQUIRE(...) LOCKSTEP_THREAD_ATTRIBUTE_(acquire_capability(__VA_ARGS__))
#define LOCKSTEP_ACQUIRE_SHARED(...) \
  LOCKSTEP_THREAD_ATTRIBUTE_(acquire_shared_capability(__VA_ARGS__))
#define LOCKSTEP_RELEASE(...) LOCKSTEP_THREAD_ATTRIBUTE_(release_capability(__VA_ARGS__))
#define LOCKSTEP_RELEASE_SHARED(...) \
  LOCKSTEP_THREAD_ATTRIBUTE_(release_shared_capability(__VA_ARGS__))
#define LOCKSTEP_RELEASE_GENERIC(...) \
  LOCKSTEP_THREAD_ATTRIBUTE_(release_generic_capability(__VA_ARGS__))
#define LOCKSTEP_EXCLUDES(...) LOCKSTEP_THREAD_ATTRIBUTE_(locks_excluded(__VA_ARGS__))
#define LOCKSTEP_NO_THREAD_SAFETY_ANALYSIS LOCKSTEP_THREAD_ATTRIBUTE_(no_thread_safety_analysis)
