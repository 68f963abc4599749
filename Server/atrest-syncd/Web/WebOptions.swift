// SPDX-License-Identifier: Apache-2.0
// The options of the web app.

import ArgumentParser
import AtrestCommandLine
import AtrestHTTP2

struct WebOptions: ParsableArguments {
  @Option(
    name: .customLong("web"),
    help: ArgumentHelp(
      "A folder with the web app, in place of the one in the program: for its development.",
      valueName: "folder"))
  var directory: String?

  @Flag(name: .customLong("no-web"), help: "Do not serve the web app.")
  var isOff = false

  /// The files that browsers get. Nil: none.
  /// - Parameter isKnownByAuthority: Whether browsers trust the server's certificate.
  /// - Throws: `CommandFailure` if they cannot be read.
  func site(isKnownByAuthority: Bool) throws -> WebSite? {
    guard !isOff || directory == nil else {
      throw CommandFailure("--web and --no-web exclude each other. Give one of them.", .usage)
    }
    guard !isOff else { return nil }
    let bundle = try directory.map { try WebBundle(directory: $0) } ?? WebBundle()
    return bundle.map {
      WebSite($0.files, fields: WebPolicy.fields(isKnownByAuthority: isKnownByAuthority))
    }
  }

  /// Which app is served, for the log.
  var description: String {
    if isOff { return "off" }
    return directory ?? (WebBundle.isEmbedded ? "in the program" : "none in this build")
  }
}
