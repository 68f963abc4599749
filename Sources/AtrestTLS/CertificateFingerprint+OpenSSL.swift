// SPDX-License-Identifier: Apache-2.0
// A certificate's fingerprint.

import AtrestTrust
import CAtrestOpenSSL

extension CertificateFingerprint {
  /// The fingerprint of an `X509`; nil only if out of memory.
  init?(of certificate: OpaquePointer) {
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    var count: CUnsignedInt = 0
    guard X509_digest(certificate, EVP_sha256(), &bytes, &count) == 1, count == bytes.count else {
      return nil
    }
    self.init(bytes)
  }
}
