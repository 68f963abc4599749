// SPDX-License-Identifier: Apache-2.0
// Specifies the garden in a browser: what its views show, and what its actions do.

import AtrestDomain
import AtrestReplication
import Testing

@testable import AtrestWeb

@Suite("A garden in a browser", .timeLimit(.minutes(20)))
struct GardenViewTests {
  private let garden = WebPage()

  @Test("a sprout is planted, watered and harvested, and each view shows it")
  func life() throws {
    let id = try #require(
      try garden.actInGarden(
        "sprout", #"{"title":"Read Middlemarch","twig":"3.5","season":"3m","environment":"firm"}"#)[
          "id"]?.text)
    #expect(try garden.view("garden")["soil"]?.text == "Soil 2 of 10")
    let branch = try garden.view("garden", #"{"node":"3"}"#)
    #expect(branch["up"]?.text == "garden")
    let spot = try #require(branch["spots"]?.elements?[4].members)
    #expect(spot["place"]?.text == "garden/3.5")
    #expect(spot["words"]?.text == "Twig 3.5: 1 growing")
    let twig = try garden.view("garden", #"{"node":"3.5"}"#)
    #expect(twig["spots"]?.elements?.first?.members?["place"]?.text == "sprout/\(id)")

    try garden.actInGarden("water", #"{"id":"\#(id)","note":"Two chapters\nbefore breakfast"}"#)
    let growing = try garden.view("sprout", #"{"id":"\#(id)"}"#)
    #expect(growing["state"]?.text == "active")
    #expect(
      growing["said"]?.elements?.first?.members?["note"]?.text == "Two chapters\nbefore breakfast")

    let harvest = try garden.actInGarden(
      "harvest", #"{"id":"\#(id)","result":4,"note":"On the train"}"#)
    #expect(
      harvest["words"]?.text
        == "Harvested “Read Middlemarch”: strong, 4 of 5. Soil: 10.05 of 12.55.")
    let journal = try #require(try garden.view("journal")["entries"]?.elements)
    #expect(
      journal.map { $0.members?["line"]?.text } == [
        "Harvested “Read Middlemarch”, 4 of 5", "Watered “Read Middlemarch”",
      ])
  }

  @Test("a draft takes no soil, can be edited as a whole, and planted or deleted")
  func drafts() throws {
    let made = try garden.actInGarden(
      "sprout", #"{"title":"Learn the cello","twig":"2.1","isDraft":true,"leaf":"Music"}"#)
    let id = try #require(made["id"]?.text)
    #expect(try garden.view("garden")["soil"]?.text == "Soil 10 of 10")
    try garden.actInGarden(
      "edit", #"{"id":"\#(id)","title":"The cello","season":"2w","bloom5":"A suite"}"#)
    let sprout = try garden.view("sprout", #"{"id":"\#(id)"}"#)
    #expect(sprout["title"]?.text == "The cello")
    #expect(sprout["plan"]?.text == "2 weeks, fertile, 2 soil")
    #expect(sprout["leaf"]?.text == "Music")
    let other = try garden.actInGarden(
      "sprout", #"{"title":"Sing","twig":"2.1","isDraft":true,"leaf":"Music"}"#)
    #expect(try garden.view("plan", #"{"twig":"2.1"}"#)["leaves"]?.elements == [.string("Music")])
    try garden.actInGarden("delete", #"{"id":"\#(try #require(other["id"]?.text))"}"#)
    try garden.actInGarden("plant", #"{"id":"\#(id)"}"#)
    #expect(throws: WebRefusal("Only a draft can be deleted.")) {
      try garden.actInGarden("delete", #"{"id":"\#(id)"}"#)
    }
  }

  @Test("what the garden's rules refuse is told in their words, and changes nothing")
  func refused() throws {
    let id = try #require(
      try garden.actInGarden("sprout", #"{"title":"A year","twig":"1.1","environment":"barren"}"#)[
        "id"]?
        .text)
    for _ in 0..<3 { try garden.actInGarden("water", #"{"id":"\#(id)"}"#) }
    let before = garden.rows
    for (action, argument, title) in [
      ("sprout", #"{"title":"  ","twig":"1.1"}"#, "A title has 1 to 60 characters."),
      ("sprout", #"{"title":"x","twig":"9.1"}"#, "That is no twig."),
      (
        "sprout", #"{"title":"x","twig":"1.1","season":"1y"}"#,
        "That takes 12 soil, and there is 4.15."
      ), ("water", #"{"id":"\#(id)"}"#, "The day's water is used."),
      ("edit", #"{"id":"\#(id)","season":"1y"}"#, "That is planted already."),
      ("edit", #"{"id":"\#(id)","note":"x"}"#, "That has not ended yet."),
      (
        "water", #"{"id":"00000000-0000-4000-8000-000000000000"}"#,
        "This sprout is not here any more."
      ),
    ] {
      #expect(throws: WebRefusal(title)) { try garden.actInGarden(action, argument) }
    }
    #expect(garden.rows == before)
  }

  @Test("undo takes back what was done in the garden, and leaves water alone")
  func undo() throws {
    try garden.actInGarden("label", #"{"node":"3","label":"Body"}"#)
    try garden.actInGarden("label", #"{"node":"trunk","label":"Behind the house"}"#)
    #expect(try garden.view("garden")["title"]?.text == "Behind the house")
    try garden.act("water.add", "{}")
    #expect(try garden.actInGarden("undo")["undone"] == .bool(true))
    #expect(try garden.view("garden")["title"]?.text == "Garden")
    #expect(try garden.actInGarden("undo")["undone"] == .bool(true))
    #expect(try garden.view("garden", #"{"node":"3"}"#)["title"]?.text == "Branch 3")
    #expect(try garden.view("garden")["canUndo"] == .bool(false))
    #expect(try garden.view("timer")["canUndo"] == .bool(true))
  }

  @Test("only what is told is edited: the rest may have been written elsewhere meanwhile")
  func partial() throws {
    let made = try garden.actInGarden(
      "sprout", #"{"title":"The cello","twig":"2.1","isDraft":true,"leaf":"Music"}"#)
    let id = try #require(made["id"]?.text)
    try garden.actInGarden("edit", #"{"id":"\#(id)","bloom1":"A scale"}"#)
    let plan = try garden.view("plan", #"{"id":"\#(id)"}"#)
    #expect(plan["title"]?.text == "The cello" && plan["leaf"]?.text == "Music")
    try garden.actInGarden("edit", #"{"id":"\#(id)","twig":"2.2"}"#)
    #expect(try garden.view("sprout", #"{"id":"\#(id)"}"#)["leaf"]?.text == nil)
    #expect(try garden.view("plan", #"{"twig":"2.2"}"#)["leaves"]?.elements == [])
  }

  @Test("the tree is called by the garden's name, and a note alone leaves it alone")
  func nameOfTheTree() throws {
    try garden.actInGarden("label", #"{"node":"trunk","note":"Rain at last"}"#)
    #expect(try garden.view("garden")["label"]?.text == nil)
    try garden.actInGarden("label", #"{"node":"trunk","label":"Behind the house"}"#)
    let tree = try garden.view("garden")
    #expect(tree["label"]?.text == "Behind the house" && tree["note"]?.text == "Rain at last")
  }

  @Test("a text that is far too long is refused by the garden's rule, and stays in its field")
  func longTexts() throws {
    let long = String(repeating: "é", count: 20_000)
    for (action, field, rule) in [
      ("sprout", "title", "A title has 1 to 60 characters."),
      ("label", "note", "A note has at most"),
    ] {
      let argument = #"{"twig":"1.1","node":"1","title":"x","\#(field)":"\#(long)"}"#
        .replacing(#""title":"x","title""#, with: #""title""#)
      do {
        try garden.actInGarden(action, argument)
        Issue.record("\(action) took it")
      } catch let refusal as WebRefusal {
        #expect(refusal.title.hasPrefix(rule), "\(refusal.title)")
      }
    }
  }

  @Test("why nothing was taken back is said")
  func undoWords() throws {
    #expect(
      try garden.actInGarden("undo")["words"]?.text
        == "There is nothing to take back on this device.")
    try garden.actInGarden("label", #"{"node":"3","label":"Body"}"#)
    #expect(try garden.actInGarden("undo")["words"]?.text == "Taken back: a label.")
  }

  @Test("a harvest is taken back, and then what was planted")
  func undoTwice() throws {
    let id = try #require(
      try garden.actInGarden(
        "sprout", #"{"title":"Read","twig":"3.5","season":"3m","environment":"firm"}"#)["id"]?.text)
    try garden.actInGarden("harvest", #"{"id":"\#(id)","result":4,"note":""}"#)
    for soil in ["Soil 2 of 10", "Soil 10 of 10"] {
      #expect(try garden.actInGarden("undo")["undone"] == .bool(true))
      #expect(try garden.view("garden")["soil"]?.text == soil)
    }
  }

  @Test("the timer shows the way to a garden once there is one")
  func wayThere() throws {
    #expect(try garden.view("timer")["hasGarden"] == .bool(false))
    try garden.actInGarden("shine", #"{"twig":"3.5","note":"A quiet week"}"#)
    #expect(try garden.view("timer")["hasGarden"] == .bool(true))
  }
}
