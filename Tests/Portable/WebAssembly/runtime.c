// SPDX-License-Identifier: Apache-2.0
// What Embedded Swift asks of a C library, for one short run: memory is never freed.

#include <stddef.h>
#include <stdint.h>

extern uint8_t __heap_base;
static uintptr_t top;

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (top == 0) top = (uintptr_t)&__heap_base;
  uintptr_t start = (top + alignment - 1) & ~(alignment - 1);
  if (size > UINTPTR_MAX - start) return 1;
  size_t pages = __builtin_wasm_memory_size(0);
  size_t needed = (start + size + 0xffff) >> 16;
  if (needed > pages && __builtin_wasm_memory_grow(0, needed - pages) == (size_t)-1) return 1;
  top = start + size;
  *result = (void *)start;
  return 0;
}

void *malloc(size_t size) {
  void *result;
  return posix_memalign(&result, 16, size) == 0 ? result : NULL;
}

void free(void *memory) { (void)memory; }

void *memset(void *to, int byte, size_t count) {
  for (size_t i = 0; i < count; i++) ((volatile uint8_t *)to)[i] = byte;
  return to;
}

void *memmove(void *to, const void *from, size_t count) {
  volatile uint8_t *target = to;
  const uint8_t *source = from;
  if (target < source) {
    for (size_t i = 0; i < count; i++) target[i] = source[i];
  } else {
    for (size_t i = count; i > 0; i--) target[i - 1] = source[i - 1];
  }
  return to;
}

void *memcpy(void *to, const void *from, size_t count) { return memmove(to, from, count); }

int memcmp(const void *a, const void *b, size_t count) {
  const uint8_t *left = a, *right = b;
  for (size_t i = 0; i < count; i++) {
    if (left[i] != right[i]) return left[i] - right[i];
  }
  return 0;
}

// Seeds of hash tables. Fixed, so that a failure repeats.
void arc4random_buf(void *to, size_t count) { memset(to, 7, count); }

uintptr_t __stack_chk_guard = 0x5f3a91;
_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }

// WebAssembly rounds halves to even, `rounded()` away from zero.
double round(double x) {
  double whole = __builtin_trunc(x);
  return __builtin_fabs(x - whole) < 0.5 ? whole : whole + __builtin_copysign(1, x);
}

// The product of two 128-bit numbers, which the compiler calls and compiler-rt would provide.
__int128 __multi3(__int128 a, __int128 b) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b, low = 0xffffffff;
  uint64_t bottom = (x & low) * (y & low), left = (x >> 32) * (y & low) + (bottom >> 32);
  uint64_t right = (x & low) * (y >> 32) + (left & low);
  uint64_t high = (x >> 32) * (y >> 32) + (left >> 32) + (right >> 32);
  high += (uint64_t)(a >> 64) * y + x * (uint64_t)(b >> 64);
  return ((__int128)high << 64) | (right << 32) | (bottom & low);
}
