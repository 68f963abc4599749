// SPDX-License-Identifier: Apache-2.0
// Sorts by places: one sort in the program instead of one for each type, which a browser loads.

extension Array {
  /// The elements in an order that has no equal ones.
  ///
  /// - Complexity: O(n log n).
  public func ordered(by isBefore: (Element, Element) -> Bool) -> [Element] {
    places(count) { isBefore(self[$0], self[$1]) }.map { self[$0] }
  }
}

@inline(never)
private func places(_ count: Int, _ isBefore: (Int, Int) -> Bool) -> [Int] {
  (0..<count).sorted(by: isBefore)
}
