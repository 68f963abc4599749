// SPDX-License-Identifier: Apache-2.0
// What a star may cover.

import AtrestDomain
import Testing

@testable import AtrestPresentation

@Suite("A canvas of dots", .timeLimit(.minutes(20)))
struct DotCanvasTests {
  @Test("a cell of ground is free for a star; one with a tree's dot is taken")
  func ground() {
    var canvas = DotCanvas(columns: 3, rows: 1)
    let colour = RGB(red: 1, green: 2, blue: 3)
    for x in 0..<2 { canvas[x, 3] = DotCanvas.Ink(colour: colour, isGround: true) }
    canvas[3, 3] = DotCanvas.Ink(colour: colour, isGround: true)
    canvas[2, 0] = DotCanvas.Ink(colour: colour)
    #expect(!canvas.isTaken(column: 0, row: 0), "ground alone")
    #expect(canvas.isTaken(column: 1, row: 0), "a tree stands on it")
    #expect(!canvas.isTaken(column: 2, row: 0), "nothing")
  }
}
