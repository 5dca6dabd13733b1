// Switch: the mall's network as one process: a TAP per member, and between any two of them what the rules say: heard or
// not, and of what is heard so many lost, doubled, late, overtaken. This kernel has no netem, and one place for all of it
// lets faults overlap in one way.
//
//     switch SEED PREFIX COUNT      makes PREFIX0 … and says "ready"; it ends when its standard input does
//     rules LOST DOUBLED HELD DELAY_US JITTER_US HEARS      per thousand; HEARS is COUNT × COUNT of 0 and 1: a's row, b's column
//     stats                         one line of JSON
//
// Laws: each pair draws from a stream of its own, so that one more frame here changes no fate there. Late frames stay in
// order; only those that are held are overtaken. What cannot be kept is lost and counted, never waited for.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { PORTS_MAX = 64, FRAME_MAX = 2048, WAITING_MAX = 32768, AT_ONCE = 32, MS = 1000000 };

typedef struct { int64_t due; uint64_t nth; int to, size; char *bytes; } Late;

static int ports, fds[PORTS_MAX];
static unsigned char macs[PORTS_MAX][6], known[PORTS_MAX], hears[PORTS_MAX][PORTS_MAX];
static uint64_t chance[PORTS_MAX][PORTS_MAX];
static int64_t last_due[PORTS_MAX][PORTS_MAX];
static unsigned lost, doubled, held;
static int64_t delay_ns, jitter_ns;
static Late late[WAITING_MAX];
static int waiting;
static uint64_t sent;
static struct { uint64_t in, out, cut, lost, doubled, late, held, full; } stat;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

static uint64_t draw(uint64_t *s) { // splitmix64
  uint64_t z = (*s += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static int happens(uint64_t *s, unsigned per_mille) { return per_mille > 0 && draw(s) % 1000 < per_mille; }

static int is_before(const Late *a, const Late *b) { return a->due != b->due ? a->due < b->due : a->nth < b->nth; }

static void swap(int i, int j) {
  Late was = late[i];
  late[i] = late[j];
  late[j] = was;
}

static void wait_for(int64_t due, int to, const char *bytes, int size) {
  char *copy = waiting < WAITING_MAX ? malloc(size) : NULL;
  if (copy == NULL) { stat.full++; return; }
  memcpy(copy, bytes, size);
  int i = waiting++;
  late[i] = (Late){due, sent++, to, size, copy};
  for (; i > 0 && is_before(&late[i], &late[(i - 1) / 2]); i = (i - 1) / 2) swap(i, (i - 1) / 2);
}

static void put(int to, const char *bytes, int size) {
  if (write(fds[to], bytes, size) == size) stat.out++;
  else stat.full++;
}

static void put_first(void) {
  Late first = late[0];
  late[0] = late[--waiting];
  for (int i = 0;;) {
    int least = i;
    for (int k = 2 * i + 1; k <= 2 * i + 2; k++) if (k < waiting && is_before(&late[k], &late[least])) least = k;
    if (least == i) break;
    swap(i, least);
    i = least;
  }
  put(first.to, first.bytes, first.size);
  free(first.bytes);
}

static void carry(int from, int to, const char *bytes, int size, int64_t now) {
  uint64_t *s = &chance[from][to];
  if (!hears[from][to]) { stat.cut++; return; }
  if (happens(s, lost)) { stat.lost++; return; }
  int64_t due = now + delay_ns + (jitter_ns > 0 ? (int64_t)(draw(s) % jitter_ns) : 0);
  int is_held = happens(s, held);
  if (is_held) {
    stat.held++;
    due += 5 * MS + (int64_t)(draw(s) % (45 * MS));
  } else {
    if (due < last_due[from][to]) due = last_due[from][to];
    last_due[from][to] = due;
  }
  if (due > now) { stat.late++; wait_for(due, to, bytes, size); }
  else put(to, bytes, size);
  if (happens(s, doubled)) { stat.doubled++; wait_for(due + (int64_t)(draw(s) % (5 * MS)), to, bytes, size); }
}

static void take(int from, const char *bytes, int size, int64_t now) {
  stat.in++;
  memcpy(macs[from], bytes + 6, 6);
  known[from] = 1;
  int is_for_all = bytes[0] & 1;
  if (!is_for_all) {
    for (int to = 0; to < ports; to++) {
      if (!known[to] || memcmp(macs[to], bytes, 6) != 0) continue;
      if (to != from) carry(from, to, bytes, size, now);
      return;
    }
  }
  for (int to = 0; to < ports; to++) if (to != from) carry(from, to, bytes, size, now);
}

static void obey(char *line) {
  unsigned l, d, h;
  long delay_us, jitter_us;
  char pairs[PORTS_MAX * PORTS_MAX + 1];
  if (sscanf(line, "rules %u %u %u %ld %ld %4096s", &l, &d, &h, &delay_us, &jitter_us, pairs) == 6 &&
      (int)strlen(pairs) == ports * ports) {
    lost = l; doubled = d; held = h;
    delay_ns = delay_us * 1000; jitter_ns = jitter_us * 1000;
    for (int i = 0; i < ports * ports; i++) hears[i / ports][i % ports] = pairs[i] == '1';
    printf("ok\n");
  } else if (strcmp(line, "stats") == 0) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    long cpu_ms = (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000 + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1000;
    printf("{\"in\":%lu,\"out\":%lu,\"cut\":%lu,\"lost\":%lu,\"doubled\":%lu,\"late\":%lu,\"held\":%lu,\"full\":%lu,\"waiting\":%d,\"cpuMs\":%ld}\n",
           stat.in, stat.out, stat.cut, stat.lost, stat.doubled, stat.late, stat.held, stat.full, waiting, cpu_ms);
  } else printf("not understood: %s\n", line);
  fflush(stdout);
}

/** False once nobody is there to say anything. */
static int listen_to(int fd) {
  static char said[2 * PORTS_MAX * PORTS_MAX];
  static size_t size;
  ssize_t more = read(fd, said + size, sizeof said - 1 - size);
  if (more <= 0) return more < 0 && errno == EINTR;
  size += more;
  said[size] = 0;
  for (char *end; (end = memchr(said, '\n', size)) != NULL;) {
    *end = 0;
    obey(said);
    size -= end + 1 - said;
    memmove(said, end + 1, size + 1);
  }
  return size < sizeof said - 1;
}

static int open_tap(const char *prefix, int i) {
  struct ifreq want = {.ifr_flags = IFF_TAP | IFF_NO_PI};
  snprintf(want.ifr_name, sizeof want.ifr_name, "%s%d", prefix, i);
  int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || ioctl(fd, TUNSETIFF, &want) < 0) { perror(want.ifr_name); exit(1); }
  return fd;
}

int main(int argc, char **argv) {
  if (argc != 4 || (ports = atoi(argv[3])) < 1 || ports > PORTS_MAX) return 2;
  struct pollfd polls[PORTS_MAX + 1];
  for (int i = 0; i < ports; i++) {
    fds[i] = open_tap(argv[2], i);
    polls[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    for (int k = 0; k < ports; k++) {
      chance[i][k] = strtoull(argv[1], NULL, 10) * 0x2545f4914f6cdd1d + i * 1009 + k;
      hears[i][k] = 1;
    }
  }
  polls[ports] = (struct pollfd){.fd = 0, .events = POLLIN};
  printf("ready\n");
  fflush(stdout);
  for (;;) {
    int64_t now = now_ns();
    while (waiting > 0 && late[0].due <= now) put_first();
    int64_t left = waiting > 0 ? late[0].due - now : 0;
    struct timespec timeout = {left / 1000000000, left % 1000000000};
    if (ppoll(polls, ports + 1, waiting > 0 ? &timeout : NULL, NULL) < 0 && errno != EINTR) return 1;
    if (polls[ports].revents != 0 && !listen_to(0)) return 0;
    now = now_ns();
    for (int i = 0; i < ports; i++) {
      if (polls[i].revents == 0) continue;
      for (int n = 0; n < AT_ONCE; n++) {
        char frame[FRAME_MAX];
        ssize_t size = read(fds[i], frame, sizeof frame);
        if (size < 14) break;
        take(i, frame, size, now);
      }
    }
  }
}
