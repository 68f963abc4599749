// SPDX-License-Identifier: Apache-2.0
// A disk in memory that SQLite writes to and that fails as disks do. Not for threads that share a
// machine.

#ifndef ATREST_SIMULATED_DISK_H
#define ATREST_SIMULATED_DISK_H

#include <stdint.h>

/// One machine's files. Counted: open handles of SQLite hold it too.
typedef struct sd_machine sd_machine;

/// What a machine's end does to writes that no sync has made durable.
enum sd_end {
  /// The process died; the system has everything it wrote.
  SD_KILLED = 0,
  /// The power went: of each file's writes none, all, the first few, or any of them are there, some
  /// torn at a sector.
  SD_POWER_LOST = 1,
};

/// Makes the file system known to SQLite under the name "atrest-simulated". Idempotent,
/// thread-safe. 0 on success.
int sd_register(void);

/// An empty machine. Its files are named "/N/name", where N is `sd_id`. Null if there are too many.
sd_machine *sd_make(uint64_t seed);
/// Its number.
int sd_id(const sd_machine *machine);
/// Lets go of it.
void sd_release(sd_machine *machine);

/// Takes over what another machine's folder holds at this moment, all of it durable. Handles that
/// are open die.
void sd_copy(sd_machine *to, const sd_machine *from);

/// Ends the machine now: each call on a handle that is open fails from now on.
void sd_end(sd_machine *machine, enum sd_end how);
/// Ends it in the middle of the nth call from now that writes or syncs.
void sd_end_after(sd_machine *machine, int64_t calls, enum sd_end how);
/// Whether it has ended.
int sd_has_ended(const sd_machine *machine);
/// Starts it again: files can be opened. Forgets every fault that was asked for.
void sd_start(sd_machine *machine);

/// From the nth write on (0: none), what makes a file grow finds the disk full. Negative: there is
/// room.
void sd_fill_after(sd_machine *machine, int64_t writes);
/// The nth sync from now fails once. Negative: none.
void sd_fail_sync_after(sd_machine *machine, int64_t syncs);

/// Calls that wrote or synced so far.
int64_t sd_calls(const sd_machine *machine);
/// A fingerprint of all files as a process sees them.
uint64_t sd_fingerprint(const sd_machine *machine);

#endif
