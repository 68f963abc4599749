// SPDX-License-Identifier: Apache-2.0
// Finds out whether a page of another site made a browser send a request. Pure.

extension RequestFields {
  /// Whether a browser says that another origin than this server's own made the request.
  ///
  /// `sec-fetch-site` decides where it is sent: no page can set it, and no proxy changes it.
  /// Browsers of before 2023 send `origin` alone. It must name the request's authority.
  var isCrossOrigin: Bool {
    let sites = metadata.allText("sec-fetch-site")
    guard sites.isEmpty else { return sites.contains { $0 != "same-origin" } }
    return metadata.allText("origin").contains { !isOwn($0) }
  }

  /// `null`, which stands for an opaque origin, is nobody's own.
  private func isOwn(_ origin: String) -> Bool {
    for scheme in ["https://", "http://"] where origin.hasPrefix(scheme) {
      return origin.dropFirst(scheme.count).lowercased() == authority.lowercased()
    }
    return false
  }
}
