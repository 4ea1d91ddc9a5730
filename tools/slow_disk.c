/* Preloaded: each sync of a file takes up to twice LOCKSTEP_SYNC_US microseconds, at random, and syncs nothing. This
 * reveals tests that depend on the order of a thread and the disk. See with_slow_disk.sh. */
#include <stdlib.h>
#include <unistd.h>

static int Wait(void) {
  static __thread unsigned seed = 0;
  const char* text = getenv("LOCKSTEP_SYNC_US");
  const unsigned most = text == NULL ? 0 : 2 * (unsigned)atoi(text);
  if (seed == 0) seed = (unsigned)getpid();
  if (most > 0) usleep((unsigned)rand_r(&seed) % most);
  return 0;
}

int fsync(int file) { return file < 0 ? -1 : Wait(); }
int fdatasync(int file) { return file < 0 ? -1 : Wait(); }
int sync_file_range(int file, long from, long count, unsigned flags) {
  (void)from, (void)count, (void)flags;
  return file < 0 ? -1 : Wait();
}
