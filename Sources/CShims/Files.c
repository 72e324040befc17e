#include <CShims.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int cws_open_appending(const char *path) {
  int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  return descriptor < 0 ? -errno : descriptor;
}

void cws_close(int descriptor) { close(descriptor); }

bool cws_is_at_path(int descriptor, const char *path) {
  struct stat open_file, named;
  return fstat(descriptor, &open_file) == 0 && stat(path, &named) == 0
    && open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

long cws_file_size(int descriptor) {
  struct stat file;
  return fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) ? (long)file.st_size : 0;
}

// The lock is on the file itself. Another process that waits for it finds that the file is no
// longer at the path, and does nothing.
int cws_rotate_file(int descriptor, const char *path, int kept) {
  int error = 0;
  while (flock(descriptor, LOCK_EX) < 0) {
    if (errno != EINTR) return errno;
  }
  if (cws_is_at_path(descriptor, path)) {
    size_t size = strlen(path) + 16;
    char *older = malloc(2 * size), *newer = older ? older + size : 0;
    if (!older) error = ENOMEM;
    // Only as many files as there are, however many may be kept.
    int last = 1;
    for (; !error && last < kept; last++) {
      snprintf(older, size, "%s.%d", path, last);
      if (access(older, F_OK) < 0) break;
    }
    for (int number = last; number > 0 && !error; number--) {
      snprintf(older, size, "%s.%d", path, number);
      if (number > 1) {
        snprintf(newer, size, "%s.%d", path, number - 1);
      } else {
        snprintf(newer, size, "%s", path);
      }
      if (rename(newer, older) < 0 && errno != ENOENT) error = errno;
    }
    free(older);
  }
  flock(descriptor, LOCK_UN);
  return error;
}

// A write to a pipe or socket without a reader raises SIGPIPE, which terminates a program that
// neither handles nor ignores it. These two functions make such a write fail with EPIPE instead.
#ifdef F_SETNOSIGPIPE

typedef int broken_pipes;

static broken_pipes silence_broken_pipes(int descriptor) {
  int was = fcntl(descriptor, F_GETNOSIGPIPE);
  if (was == 0) fcntl(descriptor, F_SETNOSIGPIPE, 1);
  return was;
}

static void restore_broken_pipes(int descriptor, broken_pipes was, int error) {
  (void)error;
  if (was == 0) fcntl(descriptor, F_SETNOSIGPIPE, 0);
}

#else

typedef struct {
  sigset_t mask;
  int was_pending;
} broken_pipes;

static broken_pipes silence_broken_pipes(int descriptor) {
  (void)descriptor;
  broken_pipes before;
  sigset_t pending, only;
  sigemptyset(&pending);
  sigpending(&pending);
  // A signal that is pending already was not raised by this write.
  before.was_pending = sigismember(&pending, SIGPIPE);
  sigemptyset(&only);
  sigaddset(&only, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &only, &before.mask);
  return before;
}

static void restore_broken_pipes(int descriptor, broken_pipes before, int error) {
  (void)descriptor;
  if (error == EPIPE && !before.was_pending) {
    // The kernel sends SIGPIPE to the writing thread before `write` returns, so it is pending here
    // unless the program ignores it.
    struct timespec none = {0, 0};
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, SIGPIPE);
    while (sigtimedwait(&only, NULL, &none) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before.mask, NULL);
}

#endif

int cws_write_all(int descriptor, const void *bytes, long count, long *written) {
  const char *rest = bytes;
  int error = 0;
  *written = 0;
  broken_pipes before = silence_broken_pipes(descriptor);
  while (*written < count && !error) {
    ssize_t some = write(descriptor, rest + *written, (size_t)(count - *written));
    if (some > 0) *written += some;
    else if (some == 0) error = EIO;
    else if (errno != EINTR) error = errno;
  }
  restore_broken_pipes(descriptor, before, error);
  return error;
}

int cws_replace_file(const char *path, const void *bytes, long count) {
  // A temporary file in the same folder, so that one rename replaces `path`, and with a unique
  // name, so that concurrent writers do not share it.
  size_t length = strlen(path) + sizeof ".XXXXXX";
  char *beside = malloc(length);
  if (!beside) return ENOMEM;
  snprintf(beside, length, "%s.XXXXXX", path);
  int descriptor = mkstemp(beside);
  int error = descriptor < 0 ? errno : 0;
  if (!error) {
    long written;
    error = cws_write_all(descriptor, bytes, count, &written);
    // `mkstemp` creates a file that only its owner can read.
    if (!error && fchmod(descriptor, 0644) != 0) error = errno;
    if (close(descriptor) != 0 && !error) error = errno;
    if (!error && rename(beside, path) != 0) error = errno;
    if (error) unlink(beside);
  }
  free(beside);
  return error;
}

int cws_read_file(const char *path, char **bytes, long *count) {
  *bytes = NULL;
  *count = 0;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  long capacity = 0;
  int error = 0;
  for (;;) {
    if (*count == capacity) {
      capacity = capacity ? 2 * capacity : 65536;
      char *larger = realloc(*bytes, (size_t)capacity);
      if (!larger) {
        error = ENOMEM;
        break;
      }
      *bytes = larger;
    }
    ssize_t got = read(descriptor, *bytes + *count, (size_t)(capacity - *count));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    *count += got;
  }
  close(descriptor);
  if (error) {
    free(*bytes);
    *bytes = NULL;
  }
  return error;
}

void cws_free(void *memory) { free(memory); }

const char *cws_error_text(int error) { return strerror(error); }

int64_t cws_milliseconds_since_1970(void) {
  struct timespec time;
  if (clock_gettime(CLOCK_REALTIME, &time) != 0) return 0;
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}
