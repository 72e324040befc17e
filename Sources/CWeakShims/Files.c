#include <CWeakShims.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int cws_open_appending(const char *path) {
  int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  return descriptor < 0 ? -errno : descriptor;
}

void cws_close(int descriptor) { close(descriptor); }

int cws_write_all(int descriptor, const void *bytes, long count) {
  const char *rest = bytes;
  while (count > 0) {
    ssize_t written = write(descriptor, rest, (size_t)count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    rest += written;
    count -= written;
  }
  return 0;
}

int cws_replace_file(const char *path, const void *bytes, long count) {
  // Beside it, so that renaming is one step; of a name that no other writer has at the time.
  size_t length = strlen(path) + sizeof ".XXXXXX";
  char *beside = malloc(length);
  if (!beside) return ENOMEM;
  snprintf(beside, length, "%s.XXXXXX", path);
  int descriptor = mkstemp(beside);
  int error = descriptor < 0 ? errno : 0;
  if (!error) {
    error = cws_write_all(descriptor, bytes, count);
    // `mkstemp` lets the owner alone read it.
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
