// SPDX-License-Identifier: Apache-2.0
// Declares the Linux socket and epoll functions that Swift's Glibc module does not export.

#ifndef ATREST_CEPOLL_H
#define ATREST_CEPOLL_H

#include <stdint.h>
#include <sys/socket.h>

/// Bits of `atrest_epoll_event.events`. The kernel's values, checked at compile time.
#define ATREST_EPOLL_IN 0x001u
#define ATREST_EPOLL_OUT 0x004u
#define ATREST_EPOLL_ERR 0x008u
#define ATREST_EPOLL_HUP 0x010u

/// Maximum number of events per `atrest_epoll_poll`.
#define ATREST_EPOLL_BATCH 128

/// A readiness event with the key passed to `atrest_epoll_add`.
struct atrest_epoll_event {
  uint64_t key;
  uint32_t events;
};

/// Creates a close-on-exec epoll descriptor. Returns -1 and sets `errno` on failure.
int atrest_epoll_create(void);
/// Adds a descriptor, level-triggered. Returns 0, or -1 and sets `errno`.
int atrest_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t key);
/// Changes the watched events of a descriptor. Returns 0, or -1 and sets `errno`.
int atrest_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t key);
/// Removes a descriptor. Returns 0, or -1 and sets `errno`.
int atrest_epoll_remove(int epoll, int descriptor);
/// Fetches ready events without blocking. Returns their number, or -1 and sets `errno`.
int atrest_epoll_poll(int epoll, struct atrest_epoll_event *events, int capacity);

/// Creates a non-blocking, close-on-exec stream socket. Returns -1 and sets `errno` on failure.
int atrest_socket(int family);
/// Accepts a connection, non-blocking and close-on-exec. Returns its descriptor, or -1 and sets
/// `errno`.
int atrest_accept(int listener, struct sockaddr_storage *peer, socklen_t *length);
/// Sets TCP_NODELAY: small segments are sent at once. Returns 0, or -1 and sets `errno`.
int atrest_set_no_delay(int descriptor);
/// Takes the socket's pending error (SO_ERROR): an errno value, or 0.
int atrest_socket_error(int descriptor);

#endif
