// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <nghttp2/nghttp2.h>
#include <stddef.h>
#include <stdlib.h>

// What nghttp2 holds for one session, as the allocator counts it.
typedef struct {
  size_t bytes;
} atrest_session_heap;

static inline void atrest_count(void *heap, void *block) {
  ((atrest_session_heap *)heap)->bytes += malloc_usable_size(block);
}

static inline void *atrest_heap_malloc(size_t size, void *heap) {
  void *block = malloc(size);
  atrest_count(heap, block);
  return block;
}

static inline void atrest_heap_free(void *block, void *heap) {
  ((atrest_session_heap *)heap)->bytes -= malloc_usable_size(block);
  free(block);
}

static inline void *atrest_heap_calloc(size_t count, size_t size, void *heap) {
  void *block = calloc(count, size);
  atrest_count(heap, block);
  return block;
}

static inline void *atrest_heap_realloc(void *block, size_t size, void *heap) {
  const size_t before = malloc_usable_size(block);
  void *moved = realloc(block, size);
  // A block that could not grow is still there.
  if (!moved && size > 0) return NULL;
  ((atrest_session_heap *)heap)->bytes -= before;
  atrest_count(heap, moved);
  return moved;
}

// Creates a session that counts what it holds. `heap` must outlive it.
static inline int atrest_session_new(
    nghttp2_session **session, int is_server, const nghttp2_session_callbacks *callbacks,
    const nghttp2_option *option, atrest_session_heap *heap) {
  nghttp2_mem memory = {heap, atrest_heap_malloc, atrest_heap_free, atrest_heap_calloc,
                        atrest_heap_realloc};
  return is_server ? nghttp2_session_server_new3(session, callbacks, NULL, option, &memory)
                   : nghttp2_session_client_new3(session, callbacks, NULL, option, &memory);
}
