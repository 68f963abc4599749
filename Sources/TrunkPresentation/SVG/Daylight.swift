// SPDX-License-Identifier: Apache-2.0
// The colours of the garden by day.

import AtrestDomain

/// The palette of the garden: paper, sky, wood, leaves and earth in a mild light.
enum Daylight {
  // Air.
  static let skyTop = RGB(hex: 0xDCE8E6)
  static let skyMiddle = RGB(hex: 0xEEF1E6)
  static let paper = RGB(hex: 0xF8F2E2)
  static let sun = RGB(hex: 0xF2BE5C)
  static let sunHeart = RGB(hex: 0xF9DD9B)
  static let water = RGB(hex: 0x5E93AD)
  static let waterLight = RGB(hex: 0xA9CBD6)

  // Words.
  static let ink = RGB(hex: 0x3A3028)
  static let softInk = RGB(hex: 0x5C5044)
  /// Of soil below zero.
  static let dryInk = RGB(hex: 0x7A3F28)

  // Wood.
  static let barkDark = RGB(hex: 0x54402F)
  static let bark = RGB(hex: 0x7A5F48)
  static let barkLight = RGB(hex: 0xA08464)
  static let twig = RGB(hex: 0x8A6D52)
  static let bareTwig = RGB(hex: 0xB29B80)
  static let scar = RGB(hex: 0xCBAE86)

  // Leaves: fresh ones first.
  static let leaves = [RGB(hex: 0xA3B665), RGB(hex: 0x86A257), RGB(hex: 0x6B8D4E)]
  static let leafShade = RGB(hex: 0x4C6B3B)
  static let ripe = RGB(hex: 0xD6A23F)
  static let ripeShade = RGB(hex: 0xA5752A)
  static let bud = RGB(hex: 0xC4A06A)
  static let budScale = RGB(hex: 0x8C6B45)
  static let fallen = RGB(hex: 0xB07A46)

  // Blossoms, by result from 1 to 5.
  static let petals = [
    RGB(hex: 0xEFE3D3), RGB(hex: 0xF3D9CC), RGB(hex: 0xF0C0B4), RGB(hex: 0xE79E98),
    RGB(hex: 0xD97882),
  ]
  static let petalShade = RGB(hex: 0xB4606A)
  static let pollen = RGB(hex: 0xE0A53C)

  // Ground.
  static let grass = RGB(hex: 0x93A663)
  static let grassFar = RGB(hex: 0xC3CBA0)
  static let dry = RGB(hex: 0xC9AC84)
  static let dryLow = RGB(hex: 0xB59870)
  static let earth = RGB(hex: 0x6A4C36)
  static let earthDeep = RGB(hex: 0x463123)
  static let parched = RGB(hex: 0xD0A37F)
  static let crack = RGB(hex: 0x8E5C42)
}
