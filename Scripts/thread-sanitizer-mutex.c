// SPDX-License-Identifier: Apache-2.0
// Makes the slow path of Swift's Mutex, which waits in the kernel, visible to ThreadSanitizer.
//
// An uncontended Mutex is locked and unlocked by atomics in our own code, which is instrumented. A
// contended one calls libswiftSynchronization, which is not instrumented, so ordering by the lock
// would look like a race. Scripts/sanitize preloads this file, so no race has to be suppressed.
// Source: Synchronization/Mutex/LinuxImpl.swift of Swift 6.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Provided by ThreadSanitizer's runtime. Null in programs that are built without it.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

SWIFT void atrest_lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT bool atrest_try(SELF void *mutex) __asm__(TRY);
SWIFT void atrest_unlock(SELF void *mutex) __asm__(UNLOCK);

SWIFT void atrest_lock(uint32_t thread, SELF void *mutex) {
  SWIFT void (*real)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
  real(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool atrest_try(SELF void *mutex) {
  SWIFT bool (*real)(SELF void *) = dlsym(RTLD_NEXT, TRY);
  bool taken = real(mutex);
  if (taken && __tsan_acquire) __tsan_acquire(mutex);
  return taken;
}

SWIFT void atrest_unlock(SELF void *mutex) {
  SWIFT void (*real)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(mutex);
  real(mutex);
}
