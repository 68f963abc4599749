// SPDX-License-Identifier: Apache-2.0
// Imports libpq, PostgreSQL's own client library, and its field codes in a form that Swift reads.

#ifndef ATREST_CPQ_H
#define ATREST_CPQ_H

#include <libpq-fe.h>

#if !defined(LIBPQ_HAS_PIPELINING)
#error "libpq 14 or newer is needed: install libpq-dev of Debian 12 or later."
#endif

// libpq defines these as character constants, which Swift does not import as the int that
// PQresultErrorField takes.
enum {
  ATREST_PQ_SEVERITY = PG_DIAG_SEVERITY_NONLOCALIZED,
  ATREST_PQ_SQLSTATE = PG_DIAG_SQLSTATE,
  ATREST_PQ_MESSAGE = PG_DIAG_MESSAGE_PRIMARY,
};

#endif
