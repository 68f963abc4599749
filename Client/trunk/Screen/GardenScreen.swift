// SPDX-License-Identifier: Apache-2.0
// Draws the live garden: state to lines. Pure.

import AtrestCompanion
import AtrestPresentation
import TrunkDomain
import TrunkPresentation

extension GardenModel {
  /// The columns of the screen. The last one stays empty, because terminals differ in when they
  /// wrap.
  var columns: Int { max(1, size.columns - 1) }

  /// The picture, in the rows that the lines below it leave.
  var picture: NodeDrawing {
    let height = max(0, size.rows - GardenFooter(self).lines(.plain).count)
    return switch zoom {
    case .tree:
      GardenDrawing.draw(
        garden, at: context.now, in: context.zone, width: columns, height: height, selected: node)
    case .branch(let branch):
      BranchDrawing.draw(
        garden, branch: branch, at: context.now, width: columns, height: height, selected: node)
    case .twig(let twig):
      TwigDrawing.draw(
        garden, twig, at: context.now, in: context.zone, width: columns, height: height,
        selected: sprout)
    }
  }

  /// The rows of the screen.
  ///
  /// - Parameter isUnicode: Whether the terminal shows Unicode.
  func lines(_ style: Style, isUnicode: Bool) -> [String] {
    let below = GardenFooter(self).lines(style).suffix(size.rows)
    if isHelping {
      let page = Wrapping.lines(Self.help, width: columns).prefix(size.rows - below.count)
      return page + Array(repeating: "", count: size.rows - below.count - page.count) + below
    }
    let drawing = isUnicode ? picture.drawing : picture.ascii
    return drawing.rows.map { DrawingText.line($0, style) } + below
  }

  /// What the keys do.
  private static let help = """
    A tree has eight branches with eight twigs each.

    arrows         move about; on a branch, left and right zoom
    enter          zoom in; on a draft, plant it
    escape         zoom out
    1 to 8         that branch; on a branch, that twig
    n or tab       the next sprout that grows
    mouse          a click chooses, another one zooms in; the right button zooms out

    p  plant a new sprout         d  draft one
    w  water what grows           s  let the sun shine on the twig
    h  harvest                    x  uproot
    l  label this part            u  take back what was done here
    q  quit

    Any key goes back.
    """
}

/// The lines below the picture: a question or a notice, and the keys.
private struct GardenFooter {
  private let model: GardenModel

  init(_ model: GardenModel) {
    self.model = model
  }

  func lines(_ style: Style) -> [String] {
    var lines = middle(style)
    if let notice = model.notice {
      lines += Wrapping.lines(notice.text, width: model.columns).prefix(4)
    }
    return lines + [style.quiet(String(keys.prefix(model.columns)))]
  }

  private func middle(_ style: Style) -> [String] {
    if let form = model.form { return [""] + question(form, style) }
    guard model.zoom != .tree, !model.isHelping else { return [] }
    let meters = model.garden.meters(at: model.context.now, in: model.context.zone)
    return GardenWords.meters(meters, model.context).split(separator: "\n").flatMap {
      $0.count <= model.columns ? [String($0)] : Wrapping.lines(String($0), width: model.columns)
    }
  }

  private func question(_ form: GardenForm, _ style: Style) -> [String] {
    switch form.question {
    case .words(let prompt):
      let prompt = Wrapping.lines(prompt, width: model.columns)
      // The end of a long answer is what one types at.
      let room = model.columns - 3
      let words = form.words.escapedForTerminal
      let shown =
        ColumnWidth.of(words) > room
        ? "…" + ColumnWidth.suffix(words, columns: max(0, room - 1)) : words
      return prompt.map { style.strong($0) }
        + [room > 0 ? "> \(shown)\(style.strong("_"))" : ""]
    case .choice(let prompt, let answers):
      return Wrapping.lines(prompt, width: model.columns).map { style.strong($0) }
        + answers.enumerated().map { index, answer in
          let line = ColumnWidth.prefix(
            "\(index == form.choice ? ">" : " ") \(answer)", columns: model.columns)
          return index == form.choice ? style.strong(line) : line
        }
    }
  }

  /// The keys that mean something here, the most important first.
  private var keys: String {
    if model.isHelping { return "any key goes back" }
    if let form = model.form {
      switch form.question {
      case .words: return "enter go on   escape cancel   control-u clear"
      case .choice: return "arrows or digits choose   enter go on   escape cancel"
      }
    }
    var keys: [String]
    switch model.zoom {
    case .tree: keys = ["? keys", "q quit", "1-8 branch", "enter zoom in"]
    case .branch: keys = ["? keys", "q quit", "1-8 twig", "escape back"]
    case .twig: keys = ["? keys", "q quit", "escape back"]
    }
    if model.undoable > 0 { keys.append("u undo") }
    switch model.selectedSprout?.state {
    case .active: keys += ["w water", "h harvest", "x uproot"]
    case .draft: keys.append("enter plant it")
    case .completed, .failed, nil: break
    }
    if model.twig != nil { keys += ["p plant", "s shine"] }
    keys.append("n next")
    var line = ""
    for key in keys where line.count + 3 + key.count <= model.columns {
      line += line.isEmpty ? key : "   " + key
    }
    return line
  }
}
