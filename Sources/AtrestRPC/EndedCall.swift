// SPDX-License-Identifier: Apache-2.0
// What an observer of a server is told of each call.

import AtrestHTTP2

/// A call that ended. Nothing in it comes from the caller but the choice of the method.
public struct EndedCall: Sendable {
  /// `/package.Service/Method`. Nil: the server has no such method.
  public let path: String?
  /// The status it ended with. A cancelled call counts as CANCELLED.
  public let code: StatusCode
  /// From the arrival of its headers until its status was queued.
  public let duration: Duration

  package init(path: String?, code: StatusCode, duration: Duration) {
    self.path = path
    self.code = code
    self.duration = duration
  }
}
