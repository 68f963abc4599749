// SPDX-License-Identifier: Apache-2.0
// `atrest forest` and `atrest tree`: the trees of the fasts, in the terminal or as SVG.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestPresentation
import AtrestReplication
import Foundation

/// `atrest forest [--svg FILE [--force]]`.
struct ForestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forest", abstract: "The forest: a tree for each fast.",
    discussion: """
      A fast that reached its target stands as a tree in its tone, with a star; one that ended at 70 % of it or later is grey. The newest 200 \
      are drawn. One that is taller than the terminal is shown on the whole of it: arrows, Space and the wheel move it, q leaves. A picture is \
      as wide as a phone and as high as the forest; with `--size` it is of that size, with all trees on it, as for a wallpaper.

      EXAMPLES:
        atrest forest
        atrest forest --svg forest.svg
        atrest forest --svg wallpaper.svg --size 1920x1080
      """)

  @Option(
    help: ArgumentHelp("Write a picture there; - is standard output.", valueName: "file"),
    completion: .file())
  var svg: String?
  @Option(
    help: ArgumentHelp(
      "Compose a picture of this size, such as 1920x1080.", valueName: "points"))
  var size: String?
  @Flag(help: "Replace the file if there is one.") var force = false
  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  /// The answer for `--json`.
  struct Row: Encodable {
    struct Tree: Encodable {
      var id: String
      var state: String
      var variant: Int
      /// Absent for a grey tree.
      var tone: Int?
      var ended: WallTime

      init(_ tree: AtrestDomain.Tree) {
        id = tree.id.uuidString.lowercased()
        let isEstablished = tree.state == .established
        state = isEstablished ? "established" : "incomplete"
        variant = tree.character.variant
        tone = isEstablished ? tree.character.tone : nil
        ended = tree.session.span.end ?? tree.session.span.start
      }
    }

    var trees: [Tree]
  }

  func validate() throws {
    try PictureFile.check(svg: svg, size: size, replacing: force)
  }

  func run() throws {
    let context = CommandContext.current()
    let replica = try options.openExisting()
    let entitlement = try replica?.entitlement() ?? .unknown
    guard FeatureGate.forest.isOpen(for: entitlement) else { throw PictureFile.noForest }
    let trees = ForestPolicy.trees(
      of: try replica?.look { try $0.history() } ?? [], for: entitlement)
    let row = Row(trees: trees.map(Row.Tree.init))
    if let svg {
      let screen = size.flatMap(PictureFile.size)
      let (width, height) = screen ?? (390, 844)
      let layout = ForestLayout(
        trees: trees, canvas: ForestCanvas(width: width, screenHeight: height))
      try PictureFile.write(
        ForestPicture.svg(layout, in: context.zone, part: screen == nil ? .whole : .wallpaper),
        to: svg, replacing: force, format, row)
      return
    }
    if Terminal.isRead, !format.isJSON, TerminalSession.isPossible {
      let style = Terminal.style.atNight
      let view = try ForestPage.view(options, style)
      let session = TerminalSession(ground: style.ground)
      if view.isTall, session.begin() {
        defer { session.end() }
        session.run(view)
        return
      }
    }
    let width = Terminal.isRead ? ScreenSize.current().columns - 1 : 79
    let choices = try replica?.look { try Choices($0) } ?? .none
    try format.answer(
      row,
      ForestPage.lines(trees, choices, Terminal.colourStyle, width: width).joined(separator: "\n"))
  }
}

/// `atrest tree ID [--svg FILE [--force]]`.
struct TreeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tree", abstract: "The tree of one fast.",
    discussion: """
      Without an id it is the tree of the fast that goes on, or else the newest one.

      EXAMPLES:
        atrest tree
        atrest tree 3f2a
        atrest tree 3f2a --svg tree.svg
      """)

  @Argument(help: "The beginning of the fast's id.") var id: String?
  @Option(
    help: ArgumentHelp("Write a picture there; - is standard output.", valueName: "file"),
    completion: .file())
  var svg: String?
  @Option(help: ArgumentHelp("How large the picture is; otherwise 390x844.", valueName: "points"))
  var size: String?
  @Flag(help: "Replace the file if there is one.") var force = false
  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  /// The answer for `--json`.
  struct Row: Encodable {
    var id: String
    var state: String
    var variant: Int
    /// Absent for a grey tree.
    var tone: Int?
    /// Present only during the fast.
    var progress: Double?
  }

  func validate() throws {
    try PictureFile.check(svg: svg, size: size, replacing: force)
  }

  func run() throws {
    let context = CommandContext.current()
    let replica = try options.openExisting()
    let entitlement = try replica?.entitlement() ?? .unknown
    guard FeatureGate.forest.isOpen(for: entitlement) else { throw PictureFile.noForest }
    let session = try find(in: replica, context)
    guard let state = TreeView.state(of: session, at: context.now, entitlement) else {
      throw CommandFailure(
        Language.text(
          "That fast left no tree: one stands for 4 hours and more, from 70 % of the target on.",
          de: "Von diesem Fasten steht kein Baum: einer steht ab 4 Stunden und ab 70 % des Ziels."))
    }
    let character = TreeCharacter(id: session.id)
    let row = row(session, state, character)
    if let svg {
      let screen = size.flatMap(PictureFile.size) ?? (390, 844)
      try PictureFile.write(
        TreePicture.svg(character, state, width: screen.0, height: screen.1), to: svg,
        replacing: force, format, row)
      return
    }
    let columns = Terminal.isRead ? ScreenSize.current().columns - 1 : 79
    let drawing = TreeView.draw(
      session, state, width: min(columns, 48), height: min(columns / 2, 22))
    let isUnicode = Terminal.isUnicode(environment: ProcessInfo.processInfo.environment)
    try format.answer(
      row,
      (DrawingView.trimmed(isUnicode ? drawing : drawing.ascii, Terminal.colourStyle)
        + [AtrestVocabulary.words(session.span, context)]).joined(separator: "\n"))
  }

  private func find(in replica: Replica?, _ context: CommandContext) throws -> Session {
    if let id { return try SessionsCommand.find(id, in: replica?.sessions() ?? [], context) }
    let session = try replica?.look { store in
      try Fasting(store.openSessions()).active ?? store.history(limit: 1).first
    }
    guard let session else {
      throw CommandFailure(
        Language.text(
          "There is no tree yet. `atrest fast start` begins a fast.",
          de: "Noch steht kein Baum. `atrest fast start` beginnt ein Fasten."))
    }
    return session
  }

  private func row(_ session: Session, _ state: TreeState, _ character: TreeCharacter) -> Row {
    var row = Row(
      id: session.id.uuidString.lowercased(), state: "established", variant: character.variant,
      tone: character.tone)
    switch state {
    case .established: break
    case .incomplete:
      row.state = "incomplete"
      row.tone = nil
    case .materialising(let progress):
      row.state = "materialising"
      row.progress = progress
    }
    return row
  }
}

extension PictureFile {
  /// Where the account has no forest. What there is has a way to it.
  static var noForest: CommandFailure {
    CommandFailure(
      Language.text(
        "There is no forest on this account. `atrest calendar` shows the fasts.",
        de: "Zu diesem Konto gehört kein Wald. `atrest calendar` zeigt das Fasten."))
  }
}
