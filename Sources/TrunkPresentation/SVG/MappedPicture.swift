// SPDX-License-Identifier: Apache-2.0
// A picture with what can be touched in it, for those who show it on a screen.

import AtrestReplication
import TrunkDomain

/// A picture, and where in it the parts of the garden are.
public struct MappedPicture: Hashable, Sendable {
  /// An SVG document without scripts or external references.
  public let svg: String
  /// In points.
  public let width: Double
  /// In points.
  public let height: Double
  /// In the order in which they are read.
  public let spots: [PictureSpot]
}

/// A part of a picture that stands for something.
public struct PictureSpot: Hashable, Sendable {
  /// What a spot stands for.
  public enum Subject: Hashable, Sendable {
    /// A branch or a twig.
    case node(NodeID)
    /// A sprout.
    case sprout(RecordUUID)
  }

  /// What it stands for.
  public let subject: Subject
  /// The same for screen readers, with what is there.
  public let words: String
  /// The left side in points, within the picture.
  public let x: Double
  /// The upper side in points, within the picture.
  public let y: Double
  /// In points.
  public let width: Double
  /// In points.
  public let height: Double
}
