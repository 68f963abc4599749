// SPDX-License-Identifier: Apache-2.0
// What Embedded Swift asks of a C library: an allocator that reuses memory, and a few functions.

#include <stddef.h>
#include <stdint.h>

extern uint8_t __heap_base;
extern void host_random(void *to, uint32_t count)
    __attribute__((import_module("host"), import_name("random")));

// MARK: Memory
//
// Blocks have sizes of four steps to each power of two. A free block waits in the list of its size
// for the next who asks for that size, or for one up to three steps smaller; blocks are neither
// split nor merged. A replica allocates the same sizes again and again.

enum { headBytes = 16, classes = 104, smallest = 32 };

typedef struct block {
  uint32_t class;
  uint32_t unused;
  struct block *next;
} block;

static block *spare[classes];
static uintptr_t top;

// 32, 40, 48, 56, 64, 80, 96, 112, 128, ...
static size_t sizeOf(uint32_t class) { return (size_t)(4 + class % 4) << (3 + class / 4); }

static uint32_t classFor(size_t size) {
  if (size <= smallest) return 0;
  uint32_t power = 31 - (uint32_t)__builtin_clz((uint32_t)size);
  uint32_t class = (power - 5) * 4 + ((uint32_t)(size >> (power - 2)) & 3);
  return sizeOf(class) < size ? class + 1 : class;
}

static block *extend(size_t size) {
  if (top == 0) top = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  uint64_t end = (uint64_t)top + size;
  uint64_t pages = __builtin_wasm_memory_size(0), needed = (end + 0xffff) >> 16;
  if (needed > 65536) return NULL;
  if (needed > pages && __builtin_wasm_memory_grow(0, needed - pages) == (size_t)-1) return NULL;
  block *made = (block *)top;
  top = (uintptr_t)end;
  return made;
}

static block *take(size_t size) {
  if (size > 0x40000000) return NULL;
  uint32_t class = classFor(size);
  // A spare block of the next three sizes wastes less than new memory.
  for (uint32_t near = class; near < class + 4 && near < classes; near++) {
    block *found = spare[near];
    if (found) {
      spare[near] = found->next;
      return found;
    }
  }
  block *made = extend((sizeOf(class) + 15) & ~(size_t)15);
  if (made) made->class = class;
  return made;
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  size_t slack = alignment > 16 ? alignment : 0;
  if (size > 0x40000000 || slack > 0x10000) return 1;
  block *made = take(headBytes + slack + size);
  if (!made) return 1;
  uintptr_t start = (uintptr_t)made + headBytes;
  if (slack) start = (start + alignment - 1) & ~(alignment - 1);
  // The word before the memory leads back to the block.
  ((uint32_t *)start)[-1] = (uint32_t)(start - (uintptr_t)made);
  *result = (void *)start;
  return 0;
}

void *malloc(size_t size) {
  void *result;
  return posix_memalign(&result, 16, size) == 0 ? result : NULL;
}

void free(void *memory) {
  if (!memory) return;
  block *freed = (block *)((uintptr_t)memory - ((uint32_t *)memory)[-1]);
  freed->next = spare[freed->class];
  spare[freed->class] = freed;
}

// For the host.
__attribute__((export_name("reserve"))) void *reserve(uint32_t count) { return malloc(count); }
__attribute__((export_name("release"))) void release(void *memory) { free(memory); }

// MARK: Bytes. WebAssembly copies and fills by itself.

void *memset(void *to, int byte, size_t count) {
  __asm__ volatile("local.get %0\nlocal.get %1\nlocal.get %2\nmemory.fill 0"
                   :: "r"(to), "r"(byte), "r"(count) : "memory");
  return to;
}

void *memmove(void *to, const void *from, size_t count) {
  __asm__ volatile("local.get %0\nlocal.get %1\nlocal.get %2\nmemory.copy 0, 0"
                   :: "r"(to), "r"(from), "r"(count) : "memory");
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

// MARK: The rest

void arc4random_buf(void *to, size_t count) { host_random(to, (uint32_t)count); }

uintptr_t __stack_chk_guard = 0x5f3a91;
_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }

// Only a build without optimisation says what failed. The page sees the trap that follows.
int putchar(int character) { return character; }

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
