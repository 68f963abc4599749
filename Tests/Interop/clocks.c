// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program. Its wall clock is shifted by the milliseconds in SHIFT_FILE, also while
// it runs; nothing else is. While HURRY_FILE exists, monotonic clocks and timers run 120 times as
// fast: the ten minutes until the first housekeeping take five seconds. They first jump forward by
// the days in that file.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { SPEED = 120, CLOCKS = 12, DESCRIPTORS = 65536, PACES = 64 };

static const int64_t second = 1000000000;
// A timer that was set before the acceleration checks the clock at this interval, in nanoseconds.
static const int64_t glance = 200000000;

// How fast clocks run, and from where: what each showed when this began, and the true time then.
struct pace {
  int64_t speed;
  int64_t shown[CLOCKS];
  int64_t real[CLOCKS];
};

// The current one is the last of those begun; each stays as it was made.
static struct pace paces[PACES] = {{.speed = 1}};
static atomic_int current;
static atomic_flag changes = ATOMIC_FLAG_INIT;
static int clockOf[DESCRIPTORS];

static int64_t real(int clock) {
  struct timespec time;
  syscall(SYS_clock_gettime, clock, &time);
  return time.tv_sec * second + time.tv_nsec;
}

static int isScaled(int clock) {
  return clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE &&
         clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID;
}

// The number in a file; 0 if there is none.
static int64_t number(const char *file) {
  int descriptor = file ? (int)syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0) return 0;
  char text[32] = {0};
  long count = syscall(SYS_read, descriptor, text, sizeof text - 1);
  syscall(SYS_close, descriptor);
  return count > 0 ? strtoll(text, NULL, 10) : 0;
}

static int64_t shown(int clock) {
  int64_t now = real(clock);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
    return now + number(getenv("SHIFT_FILE")) * 1000000;
  }
  const struct pace *pace = &paces[atomic_load(&current)];
  return isScaled(clock) ? pace->shown[clock] + (now - pace->real[clock]) * pace->speed : now;
}

static int64_t speed(void) { return paces[atomic_load(&current)].speed; }

static void look(void) {
  const char *file = getenv("HURRY_FILE");
  int64_t wanted = file && access(file, F_OK) == 0 ? SPEED : 1;
  if (speed() == wanted || atomic_flag_test_and_set(&changes)) return;
  int next = atomic_load(&current) + 1;
  if (speed() != wanted && next < PACES) {
    int64_t days = wanted == SPEED ? number(file) : 0;
    paces[next].speed = wanted;
    for (int clock = 0; clock < CLOCKS; clock++) {
      paces[next].shown[clock] = shown(clock) + days * 86400 * second;
      paces[next].real[clock] = real(clock);
    }
    atomic_store(&current, next);
  }
  atomic_flag_clear(&changes);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (clock < 0 || clock >= CLOCKS) return (int)syscall(SYS_clock_gettime, clock, time);
  look();
  int64_t now = shown(clock);
  time->tv_sec = now / second;
  time->tv_nsec = now % second;
  return 0;
}

time_t time(time_t *result) {
  time_t now = (time_t)(shown(CLOCK_REALTIME) / second);
  if (result) *result = now;
  return now;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  int64_t now = shown(CLOCK_REALTIME);
  time->tv_sec = now / second;
  time->tv_usec = now % second / 1000;
  return 0;
}

int timerfd_create(int clock, int flags) {
  int descriptor = (int)syscall(SYS_timerfd_create, clock, flags);
  if (descriptor >= 0 && descriptor < DESCRIPTORS) clockOf[descriptor] = clock;
  return descriptor;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *time, struct itimerspec *old) {
  struct itimerspec changed = *time;
  int clock = descriptor < DESCRIPTORS ? clockOf[descriptor] : CLOCK_MONOTONIC;
  int isSet = time->it_value.tv_sec != 0 || time->it_value.tv_nsec != 0;
  if (isSet && (flags & TFD_TIMER_ABSTIME) && clock != CLOCK_REALTIME) {
    int64_t left = time->it_value.tv_sec * second + time->it_value.tv_nsec - shown(clock);
    if (isScaled(clock)) left /= speed();
    left = left < 1 ? 1 : left > glance ? glance : left;
    changed.it_value.tv_sec = left / second;
    changed.it_value.tv_nsec = left % second;
    flags &= ~TFD_TIMER_ABSTIME;
  }
  return (int)syscall(SYS_timerfd_settime, descriptor, flags, &changed, old);
}
