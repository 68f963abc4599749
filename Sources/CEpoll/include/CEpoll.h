// The Linux calls that Swift's Glibc module does not export.

#ifndef ATREST_CEPOLL_H
#define ATREST_CEPOLL_H

#include <sys/epoll.h>
#include <sys/socket.h>

#endif
