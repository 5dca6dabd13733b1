// Shim: a disk that fails. Preloaded into every member; while the first byte of the file FIELD_FAIL is 1, writes and
// flushes of files below FIELD_DISK fail with EIO, and nothing else does. Who has it ends with whoever started it, also
// while it is stopped.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

static const volatile char *fails;
static const char *disk;

__attribute__((constructor)) static void look(void) {
  const char *path = getenv("FIELD_FAIL");
  disk = getenv("FIELD_DISK");
  int fd = path != NULL && disk != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  void *page = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
  if (page != MAP_FAILED) fails = page;
  close(fd);
}

static int is_bad(int fd) {
  if (fails == NULL || *fails != '1') return 0;
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  size_t length = strlen(disk);
  if (strncmp(path, disk, length) != 0 || path[length] != '/') return 0;
  errno = EIO;
  return 1;
}

#define FAILING(result, name, parameters, arguments)                 \
  result name parameters {                                           \
    static result(*real) parameters;                                 \
    if (real == NULL) real = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
    return is_bad(fd) ? -1 : real arguments;                         \
  }

FAILING(ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size))
FAILING(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at))
FAILING(ssize_t, pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at))
FAILING(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
FAILING(ssize_t, pwritev, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
FAILING(ssize_t, pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
FAILING(int, fsync, (int fd), (fd))
FAILING(int, fdatasync, (int fd), (fd))
