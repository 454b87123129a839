/* A wall clock that a file moves: preload this, and CHAOS_CLOCK names a file whose first eight
   bytes are nanoseconds to add. What runs sees a change at once; monotonic clocks stay true. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t *offset;

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("CHAOS_CLOCK");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *found = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (found != MAP_FAILED) offset = found;
}

int clock_gettime(clockid_t id, struct timespec *now) {
    int failed = (int)syscall(SYS_clock_gettime, id, now);
    if (failed || !offset || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) return failed;
    int64_t whole = (int64_t)now->tv_sec * 1000000000 + now->tv_nsec + *offset;
    now->tv_sec = whole / 1000000000;
    now->tv_nsec = whole % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec found;
    if (clock_gettime(CLOCK_REALTIME, &found)) return -1;
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *kept) {
    struct timespec found;
    if (clock_gettime(CLOCK_REALTIME, &found)) return -1;
    if (kept) *kept = found.tv_sec;
    return found.tv_sec;
}
