// SPDX-License-Identifier: Apache-2.0
// Imports OpenSSL and wraps its macros in functions that Swift can call.

#ifndef ATREST_COPENSSL_H
#define ATREST_COPENSSL_H

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "OpenSSL 3 is needed: install libssl-dev of Debian 12 or later."
#endif

static inline int atrest_set_versions(SSL_CTX *context, int least, int most) {
  return SSL_CTX_set_min_proto_version(context, least) == 1
    && SSL_CTX_set_max_proto_version(context, most) == 1;
}

/// Disables compression (CRIME) and renegotiation (RFC 9113, section 9.2.1). Uses the server's
/// cipher order, except for peers that prefer ChaCha20 because they lack AES hardware. Frees idle
/// buffers.
static inline void atrest_set_habits(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION
    | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_clear_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_ALLOW_CLIENT_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

static inline void atrest_set_session_cache(SSL_CTX *context, long mode) {
  SSL_CTX_set_session_cache_mode(context, mode);
}

static inline int atrest_set_groups(SSL_CTX *context, const char *names) {
  return SSL_CTX_set1_groups_list(context, names) == 1;
}

static inline int atrest_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return SSL_CTX_add1_chain_cert(context, certificate) == 1;
}

static inline int atrest_set_server_name(SSL *session, const char *name) {
  return SSL_set_tlsext_host_name(session, name) == 1;
}

/// A new key on the curve with that name.
static inline EVP_PKEY *atrest_make_key(const char *curve) { return EVP_EC_gen(curve); }

/// A public key from an uncompressed point of the curve with that name. NULL unless it is on the
/// curve.
static inline EVP_PKEY *atrest_make_public_key(const char *curve, const unsigned char *point,
                                               size_t count) {
  OSSL_PARAM parameters[] = {
    OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0),
    OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, count),
    OSSL_PARAM_construct_end(),
  };
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  if (context && EVP_PKEY_fromdata_init(context) == 1
      && EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
    key = NULL;
  EVP_PKEY_CTX_free(context);
  return key;
}

// OpenSSL 3 calls these functions deprecated, in favour of EVP_MD_CTX. They stay in every version
// 3, and none of them can fail.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static inline void atrest_sha256_begin(SHA256_CTX *state) { SHA256_Init(state); }

static inline void atrest_sha256_add(SHA256_CTX *state, const void *bytes, size_t count) {
  SHA256_Update(state, bytes, count);
}

static inline void atrest_sha256_end(SHA256_CTX *state, void *hash) { SHA256_Final(hash, state); }

#pragma GCC diagnostic pop

/// Frees what OpenSSL allocated for its caller.
static inline void atrest_free(void *memory) { OPENSSL_free(memory); }

/// Returns 0 if out of memory. The code has 32 bytes.
static inline int atrest_hmac_sha256(const unsigned char *key, size_t key_count,
                                     const unsigned char *message, size_t count,
                                     unsigned char *code) {
  unsigned int length = 0;
  return key_count <= INT_MAX
    && HMAC(EVP_sha256(), key, (int)key_count, message, count, code, &length) != NULL
    && length == SHA256_DIGEST_LENGTH;
}

static inline void atrest_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

static inline void atrest_retry_read(BIO *bio) { BIO_set_retry_read(bio); }

static inline void atrest_note_message(int is_written, int version, int type, const void *bytes,
                                       size_t count, SSL *session, void *counter) {
  (void)version;
  (void)session;
  if (!is_written && type == SSL3_RT_HANDSHAKE && count > 0
      && *(const unsigned char *)bytes == SSL3_MT_KEY_UPDATE)
    ++*(unsigned int *)counter;
}

/// Counts the peer's KeyUpdates in `counter`, which must outlive the session.
static inline void atrest_count_key_updates(SSL *session, unsigned int *counter) {
  SSL_set_msg_callback(session, atrest_note_message);
  SSL_set_msg_callback_arg(session, counter);
}

/// The contents of a memory BIO; valid until it changes.
static inline long atrest_memory_bytes(BIO *memory, const char **bytes) {
  char *start = NULL;
  long count = BIO_get_mem_data(memory, &start);
  *bytes = start;
  return count;
}

#endif
