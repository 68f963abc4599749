// SPDX-License-Identifier: Apache-2.0
// What records.proto demands of the kinds this build knows. Kinds and fields it does not know pass unchanged.

import AtrestDomain
import Replication

extension Record {
  /// Checks the record against the rules of its kind. Merging and storing never need this; taking in a write does.
  ///
  /// A deleted record's payload may be stripped, so only what is there is checked.
  /// - Throws: `WireError.invalid` with a sentence that holds no value of the record.
  public func checkKindRules() throws(WireError) {
    switch key.kind {
    case .session where !isPayloadStripped: _ = try Session(self)
    case .water where !isPayloadStripped: _ = try WaterEntry(self)
    case .preference where !isPayloadStripped: _ = try PreferenceField.value(of: self)
    case .session, .water, .preference: break
    case .entitlement:
      let expected = EntitlementField.record(jws: try EntitlementField.jws(of: self))
      guard expected == self else {
        throw .invalid("an entitlement is not a signed transaction stamped with its own date")
      }
    case .conflict where !isPayloadStripped: _ = try Conflict(self)
    default: break
    }
    if key.kind != .entitlement {
      guard registers.allSatisfy({ $0.stamp.replica != .none }) else {
        throw .invalid("a write names no replica")
      }
    }
    if let deletion = self[Register.deletedField] {
      guard deletion.value.isEmpty || deletion.value == Register.deletedValue else {
        throw .invalid("field 1 is neither true nor false")
      }
    }
  }

  private var isPayloadStripped: Bool {
    isDeleted && registers.count == 1
  }
}
