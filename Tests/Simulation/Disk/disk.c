// SPDX-License-Identifier: Apache-2.0
// A simulated disk for SQLite that can lose power, run full, or fail to sync.

#include "CSimulatedDisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define MACHINES 65536
#define FILES 8
#define SECTOR 512

/// A write or a truncation since the last sync.
typedef struct {
  int64_t offset, count;
  unsigned char *bytes;  // Null: the file was truncated to `offset`.
} pending_write;

typedef struct {
  unsigned char *bytes;
  int64_t count, room;
} content;

typedef struct {
  char name[64];
  int exists;
  content seen, durable;
  pending_write *pending;
  int64_t pending_count, pending_room;
} file;

struct sd_machine {
  int id, references, has_ended;
  uint64_t random, generation;
  int64_t calls, end_at, full_at, writes, sync_fails_at, syncs;
  enum sd_end end_how;
  file files[FILES];
};

typedef struct {
  sqlite3_file base;
  sd_machine *machine;
  uint64_t generation;
  int file;
} handle;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sd_machine *machines[MACHINES];
static int next_id;

/// SplitMix64.
static uint64_t draw(sd_machine *m) {
  uint64_t z = (m->random += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// MARK: Contents

static int put(content *c, int64_t offset, const void *bytes, int64_t count) {
  int64_t end = offset + count;
  if (end > c->room) {
    int64_t room = end * 2 + 4096;
    unsigned char *grown = realloc(c->bytes, (size_t)room);
    if (!grown) return SQLITE_IOERR_NOMEM;
    memset(grown + c->room, 0, (size_t)(room - c->room));
    c->bytes = grown;
    c->room = room;
  }
  memcpy(c->bytes + offset, bytes, (size_t)count);
  if (end > c->count) c->count = end;
  return SQLITE_OK;
}

static void cut(content *c, int64_t count) {
  if (count >= c->count) return;
  memset(c->bytes + count, 0, (size_t)(c->count - count));
  c->count = count;
}

static void set(content *to, const content *from) {
  cut(to, 0);
  if (from->count) put(to, 0, from->bytes, from->count);
}

static void clear(content *c) {
  free(c->bytes);
  memset(c, 0, sizeof *c);
}

static void forget_pending(file *f) {
  for (int64_t i = 0; i < f->pending_count; i++) free(f->pending[i].bytes);
  f->pending_count = 0;
}

static int note(file *f, int64_t offset, const void *bytes, int64_t count) {
  if (f->pending_count == f->pending_room) {
    int64_t room = f->pending_room * 2 + 16;
    pending_write *grown = realloc(f->pending, (size_t)room * sizeof *grown);
    if (!grown) return SQLITE_IOERR_NOMEM;
    f->pending = grown;
    f->pending_room = room;
  }
  unsigned char *copy = NULL;
  if (bytes) {
    copy = malloc((size_t)count + 1);
    if (!copy) return SQLITE_IOERR_NOMEM;
    memcpy(copy, bytes, (size_t)count);
  }
  f->pending[f->pending_count++] = (pending_write){offset, count, copy};
  return SQLITE_OK;
}

static void make_durable(file *f, const pending_write *w, int64_t from, int64_t to) {
  if (!w->bytes) {
    cut(&f->durable, w->offset);
  } else if (to > from) {
    put(&f->durable, w->offset + from, w->bytes + from, to - from);
  }
}

// MARK: Ends

/// Applies one write to the disk, completely or only some of its sectors.
static void land(sd_machine *m, file *f, const pending_write *w, int may_tear) {
  if (!w->bytes || !may_tear || draw(m) % 4) return make_durable(f, w, 0, w->count);
  int64_t from = 0, to = w->count;
  int64_t edge = (int64_t)(draw(m) % (uint64_t)(w->count / SECTOR + 1)) * SECTOR;
  if (draw(m) % 2) to = edge; else from = edge;
  make_durable(f, w, from, to);
}

static void lose_power(sd_machine *m, file *f) {
  int64_t n = f->pending_count;
  uint64_t fate = draw(m) % 4;
  int64_t first = fate == 2 ? (int64_t)(draw(m) % (uint64_t)(n + 1)) : fate == 0 ? 0 : n;
  for (int64_t i = 0; i < first; i++) {
    if (fate == 3 && draw(m) % 2) continue;
    land(m, f, &f->pending[i], fate == 3 || i == first - 1);
  }
  set(&f->seen, &f->durable);
}

static void end(sd_machine *m, enum sd_end how) {
  if (m->has_ended) return;
  m->has_ended = 1;
  m->generation++;
  for (int i = 0; i < FILES; i++) {
    file *f = &m->files[i];
    if (!f->exists) continue;
    if (how == SD_POWER_LOST) {
      lose_power(m, f);
      forget_pending(f);
    }
  }
}

/// Counts a call that writes or syncs. True if the machine ended in it.
static int counts(sd_machine *m) {
  m->calls++;
  if (m->end_at < 0 || m->calls < m->end_at) return 0;
  end(m, m->end_how);
  return 1;
}

// MARK: Handles

static file *opened(sqlite3_file *base) {
  handle *h = (handle *)base;
  if (h->generation != h->machine->generation) return NULL;
  return &h->machine->files[h->file];
}

static void release_locked(sd_machine *m) {
  if (--m->references) return;
  for (int i = 0; i < FILES; i++) {
    forget_pending(&m->files[i]);
    free(m->files[i].pending);
    clear(&m->files[i].seen);
    clear(&m->files[i].durable);
  }
  machines[m->id] = NULL;
  free(m);
}

void sd_release(sd_machine *m) {
  pthread_mutex_lock(&lock);
  release_locked(m);
  pthread_mutex_unlock(&lock);
}

static int x_close(sqlite3_file *base) {
  sd_release(((handle *)base)->machine);
  return SQLITE_OK;
}

static int x_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  file *f = opened(base);
  if (!f) return SQLITE_IOERR_READ;
  int64_t there = f->seen.count - offset;
  if (there >= count) {
    memcpy(bytes, f->seen.bytes + offset, (size_t)count);
    return SQLITE_OK;
  }
  if (there < 0) there = 0;
  if (there) memcpy(bytes, f->seen.bytes + offset, (size_t)there);
  memset((char *)bytes + there, 0, (size_t)(count - there));
  return SQLITE_IOERR_SHORT_READ;
}

static int x_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  file *f = opened(base);
  if (!f) return SQLITE_IOERR_WRITE;
  sd_machine *m = ((handle *)base)->machine;
  m->writes++;
  if (m->full_at >= 0 && m->writes > m->full_at && offset + count > f->seen.count) {
    return SQLITE_FULL;
  }
  int code = put(&f->seen, offset, bytes, count);
  if (code == SQLITE_OK) code = note(f, offset, bytes, count);
  if (code != SQLITE_OK) return code;
  return counts(m) ? SQLITE_IOERR_WRITE : SQLITE_OK;
}

static int x_truncate(sqlite3_file *base, sqlite3_int64 count) {
  file *f = opened(base);
  if (!f) return SQLITE_IOERR_TRUNCATE;
  cut(&f->seen, count);
  int code = note(f, count, NULL, 0);
  if (code != SQLITE_OK) return code;
  return counts(((handle *)base)->machine) ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

static int x_sync(sqlite3_file *base, int flags) {
  (void)flags;
  file *f = opened(base);
  if (!f) return SQLITE_IOERR_FSYNC;
  sd_machine *m = ((handle *)base)->machine;
  // The machine ends before the sync takes effect.
  if (counts(m)) return SQLITE_IOERR_FSYNC;
  m->syncs++;
  // After a failed sync, the data is still unwritten: a later sync may succeed, and a power failure
  // loses it.
  if (m->sync_fails_at >= 0 && m->syncs == m->sync_fails_at) return SQLITE_IOERR_FSYNC;
  for (int64_t i = 0; i < f->pending_count; i++) {
    make_durable(f, &f->pending[i], 0, f->pending[i].count);
  }
  forget_pending(f);
  return SQLITE_OK;
}

static int x_file_size(sqlite3_file *base, sqlite3_int64 *count) {
  file *f = opened(base);
  if (!f) return SQLITE_IOERR_FSTAT;
  *count = f->seen.count;
  return SQLITE_OK;
}

// There is one connection per file, so locks always succeed. A dead handle gets none, so that
// SQLite cleans up nothing through it.
static int x_lock(sqlite3_file *base, int level) {
  (void)level;
  return opened(base) ? SQLITE_OK : SQLITE_IOERR_LOCK;
}
static int x_unlock(sqlite3_file *base, int level) { (void)base; (void)level; return SQLITE_OK; }
static int x_check_lock(sqlite3_file *base, int *held) { (void)base; *held = 0; return SQLITE_OK; }
static int x_control(sqlite3_file *base, int op, void *argument) {
  (void)base; (void)op; (void)argument;
  return SQLITE_NOTFOUND;
}
static int x_sector(sqlite3_file *base) { (void)base; return SECTOR; }
static int x_traits(sqlite3_file *base) { (void)base; return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

static const sqlite3_io_methods methods = {
    1, x_close, x_read, x_write, x_truncate, x_sync, x_file_size, x_lock, x_unlock, x_check_lock,
    x_control, x_sector, x_traits, 0, 0, 0, 0, 0, 0};

// MARK: The file system

/// Returns the machine of a path, with a reference, and the index of its file, or -1 if it has
/// none.
static sd_machine *find(const char *path, int *index, const char **name) {
  int id = 0, length = 0;
  *index = -1;
  if (sscanf(path, "/%d/%n", &id, &length) != 1 || length == 0) return NULL;
  if (id < 0 || id >= MACHINES) return NULL;
  pthread_mutex_lock(&lock);
  sd_machine *m = machines[id];
  if (m) m->references++;
  pthread_mutex_unlock(&lock);
  if (!m) return NULL;
  *name = path + length;
  for (int i = 0; i < FILES; i++) {
    if (m->files[i].exists && strcmp(m->files[i].name, *name) == 0) *index = i;
  }
  return m;
}

static int x_open(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out_flags) {
  (void)vfs;
  handle *h = (handle *)base;
  const char *name;
  memset(h, 0, sizeof *h);
  if (!path) return SQLITE_CANTOPEN;  // A temporary file, which SQLite keeps in memory.
  sd_machine *m = find(path, &h->file, &name);
  if (!m) return SQLITE_CANTOPEN;
  if (m->has_ended || strlen(name) >= sizeof m->files[0].name) h->file = -2;
  if (h->file == -1 && (flags & SQLITE_OPEN_CREATE)) {
    for (int i = 0; i < FILES && h->file < 0; i++) {
      if (m->files[i].exists) continue;
      forget_pending(&m->files[i]);
      cut(&m->files[i].seen, 0);
      cut(&m->files[i].durable, 0);
      strcpy(m->files[i].name, name);
      m->files[i].exists = 1;
      h->file = i;
    }
  }
  if (h->file < 0) {
    sd_release(m);
    return SQLITE_CANTOPEN;
  }
  h->machine = m;
  h->generation = m->generation;
  h->base.pMethods = &methods;
  if (out_flags) *out_flags = flags;
  return SQLITE_OK;
}

static int x_delete(sqlite3_vfs *vfs, const char *path, int sync) {
  (void)vfs; (void)sync;
  int index;
  const char *name;
  sd_machine *m = find(path, &index, &name);
  if (!m) return SQLITE_IOERR_DELETE;
  int code = SQLITE_IOERR_DELETE_NOENT;
  if (m->has_ended) {
    code = SQLITE_IOERR_DELETE;
  } else if (index >= 0) {
    m->files[index].exists = 0;
    code = SQLITE_OK;
  }
  sd_release(m);
  return code;
}

static int x_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  (void)vfs;
  int index;
  const char *name;
  sd_machine *m = find(path, &index, &name);
  *result = m && index >= 0
      && (flags != SQLITE_ACCESS_EXISTS || m->files[index].seen.count > 0);
  if (m) sd_release(m);
  return SQLITE_OK;
}

static int x_full_path(sqlite3_vfs *vfs, const char *path, int room, char *out) {
  (void)vfs;
  if (snprintf(out, (size_t)room, "%s", path) >= room) return SQLITE_CANTOPEN;
  return SQLITE_OK;
}

static int x_randomness(sqlite3_vfs *vfs, int count, char *out) {
  (void)vfs;
  memset(out, 0x5A, (size_t)count);
  return count;
}
static int x_sleep(sqlite3_vfs *vfs, int microseconds) { (void)vfs; return microseconds; }
static int x_time(sqlite3_vfs *vfs, double *days) { (void)vfs; *days = 2460000.5; return SQLITE_OK; }

static sqlite3_vfs file_system = {
    1, sizeof(handle), 256, 0, "atrest-simulated", 0, x_open, x_delete, x_access, x_full_path,
    0, 0, 0, 0, x_randomness, x_sleep, x_time, 0, 0, 0, 0, 0};

// MARK: Machines

int sd_register(void) {
  static int done;
  pthread_mutex_lock(&lock);
  int code = done ? SQLITE_OK : sqlite3_vfs_register(&file_system, 0);
  done = code == SQLITE_OK;
  pthread_mutex_unlock(&lock);
  return code;
}

sd_machine *sd_make(uint64_t seed) {
  sd_machine *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->references = 1;
  m->random = seed;
  m->end_at = m->full_at = m->sync_fails_at = -1;
  pthread_mutex_lock(&lock);
  m->id = -1;
  for (int i = 0; i < MACHINES && m->id < 0; i++) {
    next_id = (next_id + 1) % MACHINES;
    if (!machines[next_id]) m->id = next_id;
  }
  if (m->id >= 0) machines[m->id] = m;
  pthread_mutex_unlock(&lock);
  if (m->id < 0) {
    free(m);
    return NULL;
  }
  return m;
}

int sd_id(const sd_machine *m) { return m->id; }

void sd_copy(sd_machine *to, const sd_machine *from) {
  to->generation++;
  for (int i = 0; i < FILES; i++) {
    file *f = &to->files[i];
    forget_pending(f);
    f->exists = from->files[i].exists;
    memcpy(f->name, from->files[i].name, sizeof f->name);
    if (f->exists) {
      set(&f->seen, &from->files[i].seen);
      set(&f->durable, &from->files[i].seen);
    }
  }
}

void sd_end(sd_machine *m, enum sd_end how) { end(m, how); }

void sd_end_after(sd_machine *m, int64_t calls, enum sd_end how) {
  m->end_at = m->calls + calls;
  m->end_how = how;
}

int sd_has_ended(const sd_machine *m) { return m->has_ended; }

void sd_start(sd_machine *m) {
  m->has_ended = 0;
  m->end_at = m->full_at = m->sync_fails_at = -1;
}

void sd_fill_after(sd_machine *m, int64_t writes) {
  m->full_at = writes < 0 ? -1 : m->writes + writes;
}

void sd_fail_sync_after(sd_machine *m, int64_t syncs) {
  m->sync_fails_at = syncs < 0 ? -1 : m->syncs + syncs;
}

int64_t sd_calls(const sd_machine *m) { return m->calls; }

uint64_t sd_fingerprint(const sd_machine *m) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (int i = 0; i < FILES; i++) {
    if (!m->files[i].exists) continue;
    for (int64_t j = 0; j < m->files[i].seen.count; j++) {
      hash = (hash ^ m->files[i].seen.bytes[j]) * 0x100000001b3ull;
    }
  }
  return hash;
}
