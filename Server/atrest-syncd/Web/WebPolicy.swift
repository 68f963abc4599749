// SPDX-License-Identifier: Apache-2.0
// Decides what a browser lets the web app do, and other pages do with it.

/// Header fields of every file, and of every refusal of one.
enum WebPolicy {
  /// - Parameter isKnownByAuthority: Whether browsers trust the server's certificate.
  static func fields(isKnownByAuthority: Bool) -> [(name: String, value: String)] {
    var fields = [
      // The app is its own files. Only its core, WebAssembly, needs a word more.
      (
        "content-security-policy",
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
          + "img-src 'self' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
          + "form-action 'none'; frame-ancestors 'none'"
      ),
      // No link out of the app tells where it came from.
      ("referrer-policy", "no-referrer"), ("x-content-type-options", "nosniff"),
      ("cross-origin-opener-policy", "same-origin"),
      ("cross-origin-resource-policy", "same-origin"),
      (
        "permissions-policy",
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
      ),
    ]
    // A browser that once saw the certificate then refuses the name without one for thirty days:
    // nobody between can offer a page in the clear. Not with the server's own certificate, which no
    // browser trusts, and not in the clear, where a proxy says so for all that it serves.
    if isKnownByAuthority { fields.append(("strict-transport-security", "max-age=2592000")) }
    return fields
  }
}
