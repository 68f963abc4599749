// SPDX-License-Identifier: Apache-2.0
// Wraps the Linux socket and epoll functions that Swift's Glibc module does not export.

#define _GNU_SOURCE
#include "CAtrestEpoll.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

_Static_assert(ATREST_EPOLL_IN == EPOLLIN, "the kernel's own values");
_Static_assert(ATREST_EPOLL_OUT == EPOLLOUT, "the kernel's own values");
_Static_assert(ATREST_EPOLL_ERR == EPOLLERR, "the kernel's own values");
_Static_assert(ATREST_EPOLL_HUP == EPOLLHUP, "the kernel's own values");

int atrest_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int control(int epoll, int operation, int descriptor, uint32_t events, uint64_t key) {
  struct epoll_event event = {.events = events, .data = {.u64 = key}};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

int atrest_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t key) {
  return control(epoll, EPOLL_CTL_ADD, descriptor, events, key);
}

int atrest_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t key) {
  return control(epoll, EPOLL_CTL_MOD, descriptor, events, key);
}

int atrest_epoll_remove(int epoll, int descriptor) {
  return control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0);
}

int atrest_epoll_poll(int epoll, struct atrest_epoll_event *events, int capacity) {
  struct epoll_event raw[ATREST_EPOLL_BATCH];
  if (capacity > ATREST_EPOLL_BATCH) capacity = ATREST_EPOLL_BATCH;
  int count = epoll_wait(epoll, raw, capacity, 0);
  for (int index = 0; index < count; index++) {
    events[index].events = raw[index].events;
    events[index].key = raw[index].data.u64;
  }
  return count;
}

int atrest_socket(int family) {
  return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int atrest_accept(int listener, struct sockaddr_storage *peer, socklen_t *length) {
  *length = sizeof(*peer);
  return accept4(listener, (struct sockaddr *)peer, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int atrest_set_no_delay(int descriptor) {
  int on = 1;
  return setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int atrest_socket_error(int descriptor) {
  int error = 0;
  socklen_t length = sizeof(error);
  if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  return error;
}
