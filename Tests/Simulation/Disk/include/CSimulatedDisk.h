// SPDX-License-Identifier: Apache-2.0
// An in-memory disk for SQLite that fails like real disks. A machine must not be shared by threads.

#ifndef ATREST_SIMULATED_DISK_H
#define ATREST_SIMULATED_DISK_H

#include <stdint.h>

/// One machine's files. Reference-counted: SQLite's open handles hold references, too.
typedef struct sd_machine sd_machine;

/// What a machine's end does to unsynced writes.
enum sd_end {
  /// The process was killed. The system keeps all its writes.
  SD_KILLED = 0,
  /// The power failed. Of each file's unsynced writes none, all, a prefix or a random subset
  /// remain, some torn at a sector.
  SD_POWER_LOST = 1,
};

/// Registers the file system with SQLite as "atrest-simulated". Idempotent and thread-safe. Returns
/// 0 on success.
int sd_register(void);

/// Creates an empty machine. Its files are named "/N/name", where N is `sd_id`. Returns null if
/// there are too many.
sd_machine *sd_make(uint64_t seed);
/// The machine's number.
int sd_id(const sd_machine *machine);
/// Releases a reference.
void sd_release(sd_machine *machine);

/// Replaces the contents with a durable copy of another machine's current files. Open handles
/// become invalid.
void sd_copy(sd_machine *to, const sd_machine *from);

/// Ends the machine now: every later call on an open handle fails.
void sd_end(sd_machine *machine, enum sd_end how);
/// Ends the machine in the middle of the nth writing or syncing call from now.
void sd_end_after(sd_machine *machine, int64_t calls, enum sd_end how);
int sd_has_ended(const sd_machine *machine);
/// Restarts the machine, so that files can be opened. Clears every configured fault.
void sd_start(sd_machine *machine);

/// From the nth write on (0: at once), writes that extend a file find the disk full. Negative: the
/// disk has space.
void sd_fill_after(sd_machine *machine, int64_t writes);
/// The nth sync from now fails once. Negative: none.
void sd_fail_sync_after(sd_machine *machine, int64_t syncs);

/// The number of writing and syncing calls so far.
int64_t sd_calls(const sd_machine *machine);
/// A hash of all files as a process sees them.
uint64_t sd_fingerprint(const sd_machine *machine);

#endif
