// SPDX-License-Identifier: Apache-2.0
// The descriptors of the services for devices. Made by Scripts/generate-protos.

/// The files of Protos/ that a device may ask for.
enum Descriptors {
  /// In the order of their dependencies.
  static let files: [ReflectedFile] = [
    ReflectedFile(
      name: "atrest/sync/v1/server.proto",
      imports: [],
      services: ["atrest.sync.v1.Server"],
      symbols: [
        "atrest.sync.v1.ServerInfoRequest", "atrest.sync.v1.ServerInfoResponse",
        "atrest.sync.v1.ServerInfoResponse.version",
        "atrest.sync.v1.ServerInfoResponse.server_time_ms",
        "atrest.sync.v1.ServerInfoResponse.limits",
        "atrest.sync.v1.ServerInfoResponse.capabilities", "atrest.sync.v1.Limits",
        "atrest.sync.v1.Limits.records", "atrest.sync.v1.Limits.bytes",
        "atrest.sync.v1.Limits.message_bytes", "atrest.sync.v1.Limits.records_per_request",
        "atrest.sync.v1.Limits.value_bytes", "atrest.sync.v1.Limits.record_bytes",
        "atrest.sync.v1.Limits.watch_streams", "atrest.sync.v1.Capability",
        "atrest.sync.v1.CAPABILITY_UNSPECIFIED", "atrest.sync.v1.CAPABILITY_RECONCILE",
        "atrest.sync.v1.CAPABILITY_APPROVAL", "atrest.sync.v1.CAPABILITY_PURCHASES",
        "atrest.sync.v1.Server", "atrest.sync.v1.Server.ServerInfo",
      ],
      base64: """
        ChthdHJlc3Qvc3luYy92MS9zZXJ2ZXIucHJvdG8SDmF0cmVzdC5zeW5jLnYxIhMKEVNlcnZlckluZm9SZXF1ZXN0Is\
        QBChJTZXJ2ZXJJbmZvUmVzcG9uc2USGAoHdmVyc2lvbhgBIAEoCVIHdmVyc2lvbhIkCg5zZXJ2ZXJfdGltZV9tcxgC\
        IAEoA1IMc2VydmVyVGltZU1zEi4KBmxpbWl0cxgDIAEoCzIWLmF0cmVzdC5zeW5jLnYxLkxpbWl0c1IGbGltaXRzEj\
        4KDGNhcGFiaWxpdGllcxgEIAMoDjIaLmF0cmVzdC5zeW5jLnYxLkNhcGFiaWxpdHlSDGNhcGFiaWxpdGllcyL2AQoG\
        TGltaXRzEhgKB3JlY29yZHMYASABKARSB3JlY29yZHMSFAoFYnl0ZXMYAiABKARSBWJ5dGVzEiMKDW1lc3NhZ2VfYn\
        l0ZXMYAyABKA1SDG1lc3NhZ2VCeXRlcxIuChNyZWNvcmRzX3Blcl9yZXF1ZXN0GAQgASgNUhFyZWNvcmRzUGVyUmVx\
        dWVzdBIfCgt2YWx1ZV9ieXRlcxgFIAEoDVIKdmFsdWVCeXRlcxIhCgxyZWNvcmRfYnl0ZXMYBiABKA1SC3JlY29yZE\
        J5dGVzEiMKDXdhdGNoX3N0cmVhbXMYByABKA1SDHdhdGNoU3RyZWFtcyp1CgpDYXBhYmlsaXR5EhoKFkNBUEFCSUxJ\
        VFlfVU5TUEVDSUZJRUQQABIYChRDQVBBQklMSVRZX1JFQ09OQ0lMRRABEhcKE0NBUEFCSUxJVFlfQVBQUk9WQUwQAh\
        IYChRDQVBBQklMSVRZX1BVUkNIQVNFUxADMl0KBlNlcnZlchJTCgpTZXJ2ZXJJbmZvEiEuYXRyZXN0LnN5bmMudjEu\
        U2VydmVySW5mb1JlcXVlc3QaIi5hdHJlc3Quc3luYy52MS5TZXJ2ZXJJbmZvUmVzcG9uc2VCUQoSY29tLmF0cmVzdC\
        5zeW5jLnYxUAFaImF0cmVzdC5jb20vcHJvdG9jb2wvc3luYy92MTtzeW5jdjGiAgNBVFOqAg5BdHJlc3QuU3luYy5W\
        MWIGcHJvdG8z\

        """),
    ReflectedFile(
      name: "atrest/sync/v1/accounts.proto",
      imports: ["atrest/sync/v1/server.proto"],
      services: ["atrest.sync.v1.Accounts"],
      symbols: [
        "atrest.sync.v1.AccountsGetRequest", "atrest.sync.v1.AccountsGetResponse",
        "atrest.sync.v1.AccountsGetResponse.name", "atrest.sync.v1.AccountsGetResponse.created_ms",
        "atrest.sync.v1.AccountsGetResponse.devices", "atrest.sync.v1.AccountsGetResponse.records",
        "atrest.sync.v1.AccountsGetResponse.bytes", "atrest.sync.v1.AccountsGetResponse.limits",
        "atrest.sync.v1.AccountsDeleteRequest", "atrest.sync.v1.AccountsDeleteRequest.account_name",
        "atrest.sync.v1.AccountsDeleteResponse", "atrest.sync.v1.EventsRequest",
        "atrest.sync.v1.EventsRequest.page_size", "atrest.sync.v1.EventsRequest.page_token",
        "atrest.sync.v1.EventsResponse", "atrest.sync.v1.EventsResponse.events",
        "atrest.sync.v1.EventsResponse.next_page_token", "atrest.sync.v1.Event",
        "atrest.sync.v1.Event.number", "atrest.sync.v1.Event.at_ms", "atrest.sync.v1.Event.kind",
        "atrest.sync.v1.Event.actor", "atrest.sync.v1.Event.subject", "atrest.sync.v1.Event.detail",
        "atrest.sync.v1.Event.count", "atrest.sync.v1.Event.Kind",
        "atrest.sync.v1.Event.KIND_UNSPECIFIED", "atrest.sync.v1.Event.KIND_ACCOUNT_MADE",
        "atrest.sync.v1.Event.KIND_ACCOUNT_REMOVED", "atrest.sync.v1.Event.KIND_CODE_MADE",
        "atrest.sync.v1.Event.KIND_CODE_REFUSED", "atrest.sync.v1.Event.KIND_DEVICE_PAIRED",
        "atrest.sync.v1.Event.KIND_DEVICE_APPROVED", "atrest.sync.v1.Event.KIND_DEVICE_DENIED",
        "atrest.sync.v1.Event.KIND_DEVICE_RENAMED", "atrest.sync.v1.Event.KIND_DEVICE_REVOKED",
        "atrest.sync.v1.Event.KIND_DEVICE_RENEWED", "atrest.sync.v1.Event.KIND_MASS_DELETION",
        "atrest.sync.v1.Event.KIND_PURCHASE_TAKEN", "atrest.sync.v1.Event.KIND_PURCHASE_REFUSED",
        "atrest.sync.v1.Event.KIND_PURCHASE_MOVED", "atrest.sync.v1.Event.KIND_BACKUP_MADE",
        "atrest.sync.v1.Event.KIND_RESTORE_NOTICED", "atrest.sync.v1.Accounts",
        "atrest.sync.v1.Accounts.Get", "atrest.sync.v1.Accounts.Delete",
        "atrest.sync.v1.Accounts.Events",
      ],
      base64: """
        Ch1hdHJlc3Qvc3luYy92MS9hY2NvdW50cy5wcm90bxIOYXRyZXN0LnN5bmMudjEaG2F0cmVzdC9zeW5jL3YxL3Nlcn\
        Zlci5wcm90byIUChJBY2NvdW50c0dldFJlcXVlc3QiwgEKE0FjY291bnRzR2V0UmVzcG9uc2USEgoEbmFtZRgBIAEo\
        CVIEbmFtZRIdCgpjcmVhdGVkX21zGAIgASgDUgljcmVhdGVkTXMSGAoHZGV2aWNlcxgDIAEoDVIHZGV2aWNlcxIYCg\
        dyZWNvcmRzGAQgASgEUgdyZWNvcmRzEhQKBWJ5dGVzGAUgASgEUgVieXRlcxIuCgZsaW1pdHMYBiABKAsyFi5hdHJl\
        c3Quc3luYy52MS5MaW1pdHNSBmxpbWl0cyI6ChVBY2NvdW50c0RlbGV0ZVJlcXVlc3QSIQoMYWNjb3VudF9uYW1lGA\
        EgASgJUgthY2NvdW50TmFtZSIYChZBY2NvdW50c0RlbGV0ZVJlc3BvbnNlImAKDUV2ZW50c1JlcXVlc3QSGwoJcGFn\
        ZV9zaXplGAIgASgNUghwYWdlU2l6ZRIdCgpwYWdlX3Rva2VuGAMgASgJUglwYWdlVG9rZW5KBAgBEAJSBmJlZm9yZV\
        IFbGltaXQicwoORXZlbnRzUmVzcG9uc2USLQoGZXZlbnRzGAEgAygLMhUuYXRyZXN0LnN5bmMudjEuRXZlbnRSBmV2\
        ZW50cxImCg9uZXh0X3BhZ2VfdG9rZW4YAyABKAlSDW5leHRQYWdlVG9rZW5KBAgCEANSBG1vcmUi5wQKBUV2ZW50Eh\
        YKBm51bWJlchgBIAEoBFIGbnVtYmVyEhMKBWF0X21zGAIgASgDUgRhdE1zEi4KBGtpbmQYAyABKA4yGi5hdHJlc3Qu\
        c3luYy52MS5FdmVudC5LaW5kUgRraW5kEhQKBWFjdG9yGAQgASgGUgVhY3RvchIYCgdzdWJqZWN0GAUgASgGUgdzdW\
        JqZWN0EhYKBmRldGFpbBgGIAEoA1IGZGV0YWlsEhQKBWNvdW50GAcgASgNUgVjb3VudCKiAwoES2luZBIUChBLSU5E\
        X1VOU1BFQ0lGSUVEEAASFQoRS0lORF9BQ0NPVU5UX01BREUQARIYChRLSU5EX0FDQ09VTlRfUkVNT1ZFRBACEhIKDk\
        tJTkRfQ09ERV9NQURFEAMSFQoRS0lORF9DT0RFX1JFRlVTRUQQBBIWChJLSU5EX0RFVklDRV9QQUlSRUQQBRIYChRL\
        SU5EX0RFVklDRV9BUFBST1ZFRBAGEhYKEktJTkRfREVWSUNFX0RFTklFRBAHEhcKE0tJTkRfREVWSUNFX1JFTkFNRU\
        QQCBIXChNLSU5EX0RFVklDRV9SRVZPS0VEEAkSFwoTS0lORF9ERVZJQ0VfUkVORVdFRBAKEhYKEktJTkRfTUFTU19E\
        RUxFVElPThALEhcKE0tJTkRfUFVSQ0hBU0VfVEFLRU4QDBIZChVLSU5EX1BVUkNIQVNFX1JFRlVTRUQQDRIXChNLSU\
        5EX1BVUkNIQVNFX01PVkVEEA4SFAoQS0lORF9CQUNLVVBfTUFERRAPEhgKFEtJTkRfUkVTVE9SRV9OT1RJQ0VEEBAy\
        /AEKCEFjY291bnRzEk4KA0dldBIiLmF0cmVzdC5zeW5jLnYxLkFjY291bnRzR2V0UmVxdWVzdBojLmF0cmVzdC5zeW\
        5jLnYxLkFjY291bnRzR2V0UmVzcG9uc2USVwoGRGVsZXRlEiUuYXRyZXN0LnN5bmMudjEuQWNjb3VudHNEZWxldGVS\
        ZXF1ZXN0GiYuYXRyZXN0LnN5bmMudjEuQWNjb3VudHNEZWxldGVSZXNwb25zZRJHCgZFdmVudHMSHS5hdHJlc3Quc3\
        luYy52MS5FdmVudHNSZXF1ZXN0Gh4uYXRyZXN0LnN5bmMudjEuRXZlbnRzUmVzcG9uc2VCUQoSY29tLmF0cmVzdC5z\
        eW5jLnYxUAFaImF0cmVzdC5jb20vcHJvdG9jb2wvc3luYy92MTtzeW5jdjGiAgNBVFOqAg5BdHJlc3QuU3luYy5WMW\
        IGcHJvdG8z\

        """),
    ReflectedFile(
      name: "atrest/sync/v1/devices.proto",
      imports: [],
      services: ["atrest.sync.v1.Devices"],
      symbols: [
        "atrest.sync.v1.PairRequest", "atrest.sync.v1.PairRequest.code",
        "atrest.sync.v1.PairRequest.device_name", "atrest.sync.v1.PairRequest.nonce",
        "atrest.sync.v1.PairResponse", "atrest.sync.v1.PairResponse.replica",
        "atrest.sync.v1.PairResponse.token", "atrest.sync.v1.PairResponse.account_name",
        "atrest.sync.v1.PairResponse.server_time_ms", "atrest.sync.v1.PairResponse.device_name",
        "atrest.sync.v1.RenewRequest", "atrest.sync.v1.RenewRequest.nonce",
        "atrest.sync.v1.RenewResponse", "atrest.sync.v1.RenewResponse.replica",
        "atrest.sync.v1.RenewResponse.token", "atrest.sync.v1.RenewResponse.account_name",
        "atrest.sync.v1.RenewResponse.server_time_ms", "atrest.sync.v1.RenewResponse.device_name",
        "atrest.sync.v1.InviteRequest", "atrest.sync.v1.InviteRequest.without_approval",
        "atrest.sync.v1.InviteResponse", "atrest.sync.v1.InviteResponse.code",
        "atrest.sync.v1.InviteResponse.expires_ms", "atrest.sync.v1.InviteResponse.needs_approval",
        "atrest.sync.v1.InviteResponse.serves_app", "atrest.sync.v1.ListPendingDevicesRequest",
        "atrest.sync.v1.ListPendingDevicesResponse",
        "atrest.sync.v1.ListPendingDevicesResponse.pending_devices", "atrest.sync.v1.PendingDevice",
        "atrest.sync.v1.PendingDevice.handle", "atrest.sync.v1.PendingDevice.name",
        "atrest.sync.v1.PendingDevice.since_ms", "atrest.sync.v1.PendingDevice.expires_ms",
        "atrest.sync.v1.PendingDevice.inviter", "atrest.sync.v1.PendingDevice.digits",
        "atrest.sync.v1.ResolvePendingDeviceRequest",
        "atrest.sync.v1.ResolvePendingDeviceRequest.handle",
        "atrest.sync.v1.ResolvePendingDeviceRequest.allow",
        "atrest.sync.v1.ResolvePendingDeviceResponse",
        "atrest.sync.v1.ResolvePendingDeviceResponse.device_name",
        "atrest.sync.v1.ResolvePendingDeviceResponse.replica", "atrest.sync.v1.DevicesListRequest",
        "atrest.sync.v1.DevicesListResponse", "atrest.sync.v1.DevicesListResponse.devices",
        "atrest.sync.v1.Device", "atrest.sync.v1.Device.replica", "atrest.sync.v1.Device.name",
        "atrest.sync.v1.Device.paired_ms", "atrest.sync.v1.Device.seen_ms",
        "atrest.sync.v1.Device.revoked_ms", "atrest.sync.v1.Device.current",
        "atrest.sync.v1.Device.parent", "atrest.sync.v1.Device.renewed",
        "atrest.sync.v1.Device.approver", "atrest.sync.v1.DevicesRenameRequest",
        "atrest.sync.v1.DevicesRenameRequest.replica", "atrest.sync.v1.DevicesRenameRequest.name",
        "atrest.sync.v1.DevicesRenameResponse", "atrest.sync.v1.DevicesRenameResponse.name",
        "atrest.sync.v1.DevicesRevokeRequest", "atrest.sync.v1.DevicesRevokeRequest.replica",
        "atrest.sync.v1.DevicesRevokeRequest.with_descendants",
        "atrest.sync.v1.DevicesRevokeResponse",
        "atrest.sync.v1.DevicesRevokeResponse.revoked_replicas",
        "atrest.sync.v1.DevicesRevokeResponse.remaining_replicas",
        "atrest.sync.v1.DevicesRevokeResponse.spared_replicas", "atrest.sync.v1.Devices",
        "atrest.sync.v1.Devices.Pair", "atrest.sync.v1.Devices.Invite",
        "atrest.sync.v1.Devices.ListPendingDevices", "atrest.sync.v1.Devices.ResolvePendingDevice",
        "atrest.sync.v1.Devices.Renew", "atrest.sync.v1.Devices.List",
        "atrest.sync.v1.Devices.Rename", "atrest.sync.v1.Devices.Revoke",
      ],
      base64: """
        ChxhdHJlc3Qvc3luYy92MS9kZXZpY2VzLnByb3RvEg5hdHJlc3Quc3luYy52MSJYCgtQYWlyUmVxdWVzdBISCgRjb2\
        RlGAEgASgJUgRjb2RlEh8KC2RldmljZV9uYW1lGAIgASgJUgpkZXZpY2VOYW1lEhQKBW5vbmNlGAMgASgMUgVub25j\
        ZSKoAQoMUGFpclJlc3BvbnNlEhgKB3JlcGxpY2EYASABKAZSB3JlcGxpY2ESFAoFdG9rZW4YAiABKAlSBXRva2VuEi\
        EKDGFjY291bnRfbmFtZRgDIAEoCVILYWNjb3VudE5hbWUSJAoOc2VydmVyX3RpbWVfbXMYBCABKANSDHNlcnZlclRp\
        bWVNcxIfCgtkZXZpY2VfbmFtZRgFIAEoCVIKZGV2aWNlTmFtZSIkCgxSZW5ld1JlcXVlc3QSFAoFbm9uY2UYASABKA\
        xSBW5vbmNlIqkBCg1SZW5ld1Jlc3BvbnNlEhgKB3JlcGxpY2EYASABKAZSB3JlcGxpY2ESFAoFdG9rZW4YAiABKAlS\
        BXRva2VuEiEKDGFjY291bnRfbmFtZRgDIAEoCVILYWNjb3VudE5hbWUSJAoOc2VydmVyX3RpbWVfbXMYBCABKANSDH\
        NlcnZlclRpbWVNcxIfCgtkZXZpY2VfbmFtZRgFIAEoCVIKZGV2aWNlTmFtZSI6Cg1JbnZpdGVSZXF1ZXN0EikKEHdp\
        dGhvdXRfYXBwcm92YWwYASABKAhSD3dpdGhvdXRBcHByb3ZhbCKJAQoOSW52aXRlUmVzcG9uc2USEgoEY29kZRgBIA\
        EoCVIEY29kZRIdCgpleHBpcmVzX21zGAIgASgDUglleHBpcmVzTXMSJQoObmVlZHNfYXBwcm92YWwYAyABKAhSDW5l\
        ZWRzQXBwcm92YWwSHQoKc2VydmVzX2FwcBgEIAEoCFIJc2VydmVzQXBwIhsKGUxpc3RQZW5kaW5nRGV2aWNlc1JlcX\
        Vlc3QiZAoaTGlzdFBlbmRpbmdEZXZpY2VzUmVzcG9uc2USRgoPcGVuZGluZ19kZXZpY2VzGAEgAygLMh0uYXRyZXN0\
        LnN5bmMudjEuUGVuZGluZ0RldmljZVIOcGVuZGluZ0RldmljZXMipwEKDVBlbmRpbmdEZXZpY2USFgoGaGFuZGxlGA\
        EgASgGUgZoYW5kbGUSEgoEbmFtZRgCIAEoCVIEbmFtZRIZCghzaW5jZV9tcxgDIAEoA1IHc2luY2VNcxIdCgpleHBp\
        cmVzX21zGAQgASgDUglleHBpcmVzTXMSGAoHaW52aXRlchgFIAEoBlIHaW52aXRlchIWCgZkaWdpdHMYBiABKAlSBm\
        RpZ2l0cyJLChtSZXNvbHZlUGVuZGluZ0RldmljZVJlcXVlc3QSFgoGaGFuZGxlGAEgASgGUgZoYW5kbGUSFAoFYWxs\
        b3cYAiABKAhSBWFsbG93IlkKHFJlc29sdmVQZW5kaW5nRGV2aWNlUmVzcG9uc2USHwoLZGV2aWNlX25hbWUYASABKA\
        lSCmRldmljZU5hbWUSGAoHcmVwbGljYRgCIAEoBlIHcmVwbGljYSIUChJEZXZpY2VzTGlzdFJlcXVlc3QiRwoTRGV2\
        aWNlc0xpc3RSZXNwb25zZRIwCgdkZXZpY2VzGAEgAygLMhYuYXRyZXN0LnN5bmMudjEuRGV2aWNlUgdkZXZpY2VzIv\
        MBCgZEZXZpY2USGAoHcmVwbGljYRgBIAEoBlIHcmVwbGljYRISCgRuYW1lGAIgASgJUgRuYW1lEhsKCXBhaXJlZF9t\
        cxgDIAEoA1IIcGFpcmVkTXMSFwoHc2Vlbl9tcxgEIAEoA1IGc2Vlbk1zEh0KCnJldm9rZWRfbXMYBSABKANSCXJldm\
        9rZWRNcxIYCgdjdXJyZW50GAYgASgIUgdjdXJyZW50EhYKBnBhcmVudBgHIAEoBlIGcGFyZW50EhgKB3JlbmV3ZWQY\
        CCABKAhSB3JlbmV3ZWQSGgoIYXBwcm92ZXIYCSABKAZSCGFwcHJvdmVyIkQKFERldmljZXNSZW5hbWVSZXF1ZXN0Eh\
        gKB3JlcGxpY2EYASABKAZSB3JlcGxpY2ESEgoEbmFtZRgCIAEoCVIEbmFtZSIrChVEZXZpY2VzUmVuYW1lUmVzcG9u\
        c2USEgoEbmFtZRgBIAEoCVIEbmFtZSJbChREZXZpY2VzUmV2b2tlUmVxdWVzdBIYCgdyZXBsaWNhGAEgASgGUgdyZX\
        BsaWNhEikKEHdpdGhfZGVzY2VuZGFudHMYAiABKAhSD3dpdGhEZXNjZW5kYW50cyKaAQoVRGV2aWNlc1Jldm9rZVJl\
        c3BvbnNlEikKEHJldm9rZWRfcmVwbGljYXMYASADKAZSD3Jldm9rZWRSZXBsaWNhcxItChJyZW1haW5pbmdfcmVwbG\
        ljYXMYAiADKAZSEXJlbWFpbmluZ1JlcGxpY2FzEicKD3NwYXJlZF9yZXBsaWNhcxgDIAMoBlIOc3BhcmVkUmVwbGlj\
        YXMyugUKB0RldmljZXMSQQoEUGFpchIbLmF0cmVzdC5zeW5jLnYxLlBhaXJSZXF1ZXN0GhwuYXRyZXN0LnN5bmMudj\
        EuUGFpclJlc3BvbnNlEkcKBkludml0ZRIdLmF0cmVzdC5zeW5jLnYxLkludml0ZVJlcXVlc3QaHi5hdHJlc3Quc3lu\
        Yy52MS5JbnZpdGVSZXNwb25zZRJrChJMaXN0UGVuZGluZ0RldmljZXMSKS5hdHJlc3Quc3luYy52MS5MaXN0UGVuZG\
        luZ0RldmljZXNSZXF1ZXN0GiouYXRyZXN0LnN5bmMudjEuTGlzdFBlbmRpbmdEZXZpY2VzUmVzcG9uc2UScQoUUmVz\
        b2x2ZVBlbmRpbmdEZXZpY2USKy5hdHJlc3Quc3luYy52MS5SZXNvbHZlUGVuZGluZ0RldmljZVJlcXVlc3QaLC5hdH\
        Jlc3Quc3luYy52MS5SZXNvbHZlUGVuZGluZ0RldmljZVJlc3BvbnNlEkQKBVJlbmV3EhwuYXRyZXN0LnN5bmMudjEu\
        UmVuZXdSZXF1ZXN0Gh0uYXRyZXN0LnN5bmMudjEuUmVuZXdSZXNwb25zZRJPCgRMaXN0EiIuYXRyZXN0LnN5bmMudj\
        EuRGV2aWNlc0xpc3RSZXF1ZXN0GiMuYXRyZXN0LnN5bmMudjEuRGV2aWNlc0xpc3RSZXNwb25zZRJVCgZSZW5hbWUS\
        JC5hdHJlc3Quc3luYy52MS5EZXZpY2VzUmVuYW1lUmVxdWVzdBolLmF0cmVzdC5zeW5jLnYxLkRldmljZXNSZW5hbW\
        VSZXNwb25zZRJVCgZSZXZva2USJC5hdHJlc3Quc3luYy52MS5EZXZpY2VzUmV2b2tlUmVxdWVzdBolLmF0cmVzdC5z\
        eW5jLnYxLkRldmljZXNSZXZva2VSZXNwb25zZUJRChJjb20uYXRyZXN0LnN5bmMudjFQAVoiYXRyZXN0LmNvbS9wcm\
        90b2NvbC9zeW5jL3YxO3N5bmN2MaICA0FUU6oCDkF0cmVzdC5TeW5jLlYxYgZwcm90bzM=\

        """),
    ReflectedFile(
      name: "atrest/sync/v1/entitlements.proto",
      imports: [],
      services: ["atrest.sync.v1.Entitlements"],
      symbols: [
        "atrest.sync.v1.EntitlementsSubmitRequest",
        "atrest.sync.v1.EntitlementsSubmitRequest.signed_transaction",
        "atrest.sync.v1.EntitlementsSubmitRequest.transfer",
        "atrest.sync.v1.EntitlementsSubmitResponse",
        "atrest.sync.v1.EntitlementsSubmitResponse.rejection", "atrest.sync.v1.Rejection",
        "atrest.sync.v1.Rejection.code", "atrest.sync.v1.Rejection.check",
        "atrest.sync.v1.Rejection.message", "atrest.sync.v1.Rejection.retryable",
        "atrest.sync.v1.EntitlementsGetRequest", "atrest.sync.v1.EntitlementsGetResponse",
        "atrest.sync.v1.EntitlementsGetResponse.app_account_token",
        "atrest.sync.v1.EntitlementsGetResponse.verifies",
        "atrest.sync.v1.EntitlementsGetResponse.held",
        "atrest.sync.v1.EntitlementsGetResponse.server_time_ms", "atrest.sync.v1.Entitlements",
        "atrest.sync.v1.Entitlements.Submit", "atrest.sync.v1.Entitlements.Get",
      ],
      base64: """
        CiFhdHJlc3Qvc3luYy92MS9lbnRpdGxlbWVudHMucHJvdG8SDmF0cmVzdC5zeW5jLnYxImYKGUVudGl0bGVtZW50c1\
        N1Ym1pdFJlcXVlc3QSLQoSc2lnbmVkX3RyYW5zYWN0aW9uGAEgASgMUhFzaWduZWRUcmFuc2FjdGlvbhIaCgh0cmFu\
        c2ZlchgCIAEoCFIIdHJhbnNmZXIiVQoaRW50aXRsZW1lbnRzU3VibWl0UmVzcG9uc2USNwoJcmVqZWN0aW9uGAEgAS\
        gLMhkuYXRyZXN0LnN5bmMudjEuUmVqZWN0aW9uUglyZWplY3Rpb24ibQoJUmVqZWN0aW9uEhIKBGNvZGUYASABKAlS\
        BGNvZGUSFAoFY2hlY2sYAiABKA1SBWNoZWNrEhgKB21lc3NhZ2UYAyABKAlSB21lc3NhZ2USHAoJcmV0cnlhYmxlGA\
        QgASgIUglyZXRyeWFibGUiGAoWRW50aXRsZW1lbnRzR2V0UmVxdWVzdCKbAQoXRW50aXRsZW1lbnRzR2V0UmVzcG9u\
        c2USKgoRYXBwX2FjY291bnRfdG9rZW4YASABKAxSD2FwcEFjY291bnRUb2tlbhIaCgh2ZXJpZmllcxgCIAEoCFIIdm\
        VyaWZpZXMSEgoEaGVsZBgDIAEoDVIEaGVsZBIkCg5zZXJ2ZXJfdGltZV9tcxgEIAEoA1IMc2VydmVyVGltZU1zMscB\
        CgxFbnRpdGxlbWVudHMSXwoGU3VibWl0EikuYXRyZXN0LnN5bmMudjEuRW50aXRsZW1lbnRzU3VibWl0UmVxdWVzdB\
        oqLmF0cmVzdC5zeW5jLnYxLkVudGl0bGVtZW50c1N1Ym1pdFJlc3BvbnNlElYKA0dldBImLmF0cmVzdC5zeW5jLnYx\
        LkVudGl0bGVtZW50c0dldFJlcXVlc3QaJy5hdHJlc3Quc3luYy52MS5FbnRpdGxlbWVudHNHZXRSZXNwb25zZUJRCh\
        Jjb20uYXRyZXN0LnN5bmMudjFQAVoiYXRyZXN0LmNvbS9wcm90b2NvbC9zeW5jL3YxO3N5bmN2MaICA0FUU6oCDkF0\
        cmVzdC5TeW5jLlYxYgZwcm90bzM=\

        """),
    ReflectedFile(
      name: "atrest/sync/v1/records.proto",
      imports: [],
      services: [],
      symbols: [
        "atrest.sync.v1.Stamp", "atrest.sync.v1.Stamp.clock", "atrest.sync.v1.Stamp.replica",
        "atrest.sync.v1.Register", "atrest.sync.v1.Register.field", "atrest.sync.v1.Register.stamp",
        "atrest.sync.v1.Register.replaced", "atrest.sync.v1.Register.value",
        "atrest.sync.v1.Register.held_stamps", "atrest.sync.v1.Record",
        "atrest.sync.v1.Record.kind", "atrest.sync.v1.Record.id", "atrest.sync.v1.Record.registers",
        "atrest.sync.v1.Session", "atrest.sync.v1.Session.deleted", "atrest.sync.v1.Session.span",
        "atrest.sync.v1.Session.target_minutes", "atrest.sync.v1.Session.prune_floor",
        "atrest.sync.v1.Session.Span", "atrest.sync.v1.Session.Span.start_ms",
        "atrest.sync.v1.Session.Span.end_ms", "atrest.sync.v1.Session.Span.outcome",
        "atrest.sync.v1.Session.Outcome", "atrest.sync.v1.Session.OUTCOME_ACTIVE",
        "atrest.sync.v1.Session.OUTCOME_COMPLETED", "atrest.sync.v1.Session.OUTCOME_ABANDONED",
        "atrest.sync.v1.Water", "atrest.sync.v1.Water.deleted", "atrest.sync.v1.Water.intake",
        "atrest.sync.v1.Water.prune_floor", "atrest.sync.v1.Water.Intake",
        "atrest.sync.v1.Water.Intake.at_ms", "atrest.sync.v1.Water.Intake.millilitres",
        "atrest.sync.v1.Preference", "atrest.sync.v1.Preference.deleted",
        "atrest.sync.v1.Preference.value", "atrest.sync.v1.Preference.prune_floor",
        "atrest.sync.v1.Entitlement", "atrest.sync.v1.Entitlement.signed_transaction",
        "atrest.sync.v1.Conflict", "atrest.sync.v1.Conflict.deleted",
        "atrest.sync.v1.Conflict.entry", "atrest.sync.v1.Conflict.record",
        "atrest.sync.v1.Conflict.prune_floor", "atrest.sync.v1.Conflict.Entry",
        "atrest.sync.v1.Conflict.Entry.kind", "atrest.sync.v1.Conflict.Entry.id",
        "atrest.sync.v1.Conflict.Entry.field", "atrest.sync.v1.Conflict.Entry.lost",
        "atrest.sync.v1.Conflict.Entry.kept", "atrest.sync.v1.Conflict.Entry.noticed_ms",
        "atrest.sync.v1.Kind", "atrest.sync.v1.KIND_UNSPECIFIED", "atrest.sync.v1.KIND_SESSION",
        "atrest.sync.v1.KIND_WATER", "atrest.sync.v1.KIND_PREFERENCE",
        "atrest.sync.v1.KIND_ENTITLEMENT", "atrest.sync.v1.KIND_CONFLICT",
      ],
      base64: """
        ChxhdHJlc3Qvc3luYy92MS9yZWNvcmRzLnByb3RvEg5hdHJlc3Quc3luYy52MSI3CgVTdGFtcBIUCgVjbG9jaxgBIA\
        EoBlIFY2xvY2sSGAoHcmVwbGljYRgCIAEoBlIHcmVwbGljYSLOAQoIUmVnaXN0ZXISFAoFZmllbGQYASABKA1SBWZp\
        ZWxkEisKBXN0YW1wGAIgASgLMhUuYXRyZXN0LnN5bmMudjEuU3RhbXBSBXN0YW1wEjEKCHJlcGxhY2VkGAMgASgLMh\
        UuYXRyZXN0LnN5bmMudjEuU3RhbXBSCHJlcGxhY2VkEhQKBXZhbHVlGAQgASgMUgV2YWx1ZRI2CgtoZWxkX3N0YW1w\
        cxgFIAMoCzIVLmF0cmVzdC5zeW5jLnYxLlN0YW1wUgpoZWxkU3RhbXBzInoKBlJlY29yZBIoCgRraW5kGAEgASgOMh\
        QuYXRyZXN0LnN5bmMudjEuS2luZFIEa2luZBIOCgJpZBgCIAEoDFICaWQSNgoJcmVnaXN0ZXJzGAMgAygLMhguYXRy\
        ZXN0LnN5bmMudjEuUmVnaXN0ZXJSCXJlZ2lzdGVycyLfAgoHU2Vzc2lvbhIYCgdkZWxldGVkGAEgASgIUgdkZWxldG\
        VkEjAKBHNwYW4YAiABKAsyHC5hdHJlc3Quc3luYy52MS5TZXNzaW9uLlNwYW5SBHNwYW4SJQoOdGFyZ2V0X21pbnV0\
        ZXMYAyABKA1SDXRhcmdldE1pbnV0ZXMSHwoLcHJ1bmVfZmxvb3IYDyABKAhSCnBydW5lRmxvb3IacwoEU3BhbhIZCg\
        hzdGFydF9tcxgBIAEoA1IHc3RhcnRNcxIVCgZlbmRfbXMYAiABKANSBWVuZE1zEjkKB291dGNvbWUYAyABKA4yHy5h\
        dHJlc3Quc3luYy52MS5TZXNzaW9uLk91dGNvbWVSB291dGNvbWUiSwoHT3V0Y29tZRISCg5PVVRDT01FX0FDVElWRR\
        AAEhUKEU9VVENPTUVfQ09NUExFVEVEEAESFQoRT1VUQ09NRV9BQkFORE9ORUQQAiK5AQoFV2F0ZXISGAoHZGVsZXRl\
        ZBgBIAEoCFIHZGVsZXRlZBI0CgZpbnRha2UYAiABKAsyHC5hdHJlc3Quc3luYy52MS5XYXRlci5JbnRha2VSBmludG\
        FrZRIfCgtwcnVuZV9mbG9vchgPIAEoCFIKcHJ1bmVGbG9vcho/CgZJbnRha2USEwoFYXRfbXMYASABKANSBGF0TXMS\
        IAoLbWlsbGlsaXRyZXMYAiABKA1SC21pbGxpbGl0cmVzIl0KClByZWZlcmVuY2USGAoHZGVsZXRlZBgBIAEoCFIHZG\
        VsZXRlZBIUCgV2YWx1ZRgCIAEoCVIFdmFsdWUSHwoLcHJ1bmVfZmxvb3IYDyABKAhSCnBydW5lRmxvb3IiQgoLRW50\
        aXRsZW1lbnQSLQoSc2lnbmVkX3RyYW5zYWN0aW9uGAIgASgMUhFzaWduZWRUcmFuc2FjdGlvbkoECAEQAiKAAwoIQ2\
        9uZmxpY3QSGAoHZGVsZXRlZBgBIAEoCFIHZGVsZXRlZBI0CgVlbnRyeRgCIAEoCzIeLmF0cmVzdC5zeW5jLnYxLkNv\
        bmZsaWN0LkVudHJ5UgVlbnRyeRIuCgZyZWNvcmQYAyABKAsyFi5hdHJlc3Quc3luYy52MS5SZWNvcmRSBnJlY29yZB\
        IfCgtwcnVuZV9mbG9vchgPIAEoCFIKcHJ1bmVGbG9vchrSAQoFRW50cnkSKAoEa2luZBgBIAEoDjIULmF0cmVzdC5z\
        eW5jLnYxLktpbmRSBGtpbmQSDgoCaWQYAiABKAxSAmlkEhQKBWZpZWxkGAMgASgNUgVmaWVsZBIsCgRsb3N0GAQgAS\
        gLMhguYXRyZXN0LnN5bmMudjEuUmVnaXN0ZXJSBGxvc3QSLAoEa2VwdBgFIAEoCzIYLmF0cmVzdC5zeW5jLnYxLlJl\
        Z2lzdGVyUgRrZXB0Eh0KCm5vdGljZWRfbXMYBiABKANSCW5vdGljZWRNcyp8CgRLaW5kEhQKEEtJTkRfVU5TUEVDSU\
        ZJRUQQABIQCgxLSU5EX1NFU1NJT04QARIOCgpLSU5EX1dBVEVSEAISEwoPS0lORF9QUkVGRVJFTkNFEAMSFAoQS0lO\
        RF9FTlRJVExFTUVOVBAEEhEKDUtJTkRfQ09ORkxJQ1QQBUJRChJjb20uYXRyZXN0LnN5bmMudjFQAVoiYXRyZXN0Lm\
        NvbS9wcm90b2NvbC9zeW5jL3YxO3N5bmN2MaICA0FUU6oCDkF0cmVzdC5TeW5jLlYxYgZwcm90bzM=\

        """),
    ReflectedFile(
      name: "atrest/sync/v1/sync.proto",
      imports: ["atrest/sync/v1/records.proto"],
      services: ["atrest.sync.v1.Sync"],
      symbols: [
        "atrest.sync.v1.Cursor", "atrest.sync.v1.Cursor.commit", "atrest.sync.v1.Cursor.sequence",
        "atrest.sync.v1.ExchangeRequest", "atrest.sync.v1.ExchangeRequest.cursor",
        "atrest.sync.v1.ExchangeRequest.offers", "atrest.sync.v1.ExchangeRequest.last_known_head",
        "atrest.sync.v1.ExchangeRequest.allow_mass_deletion",
        "atrest.sync.v1.ExchangeRequest.segment", "atrest.sync.v1.ExchangeRequest.peek",
        "atrest.sync.v1.ExchangeRequest.device_time_ms", "atrest.sync.v1.OutboxSegment",
        "atrest.sync.v1.OutboxSegment.confirmed", "atrest.sync.v1.OutboxSegment.token",
        "atrest.sync.v1.OutboxSegment.settled_through", "atrest.sync.v1.OutboxSegment.steps",
        "atrest.sync.v1.OutboxSegment.confirmed_number", "atrest.sync.v1.OutboxPosition",
        "atrest.sync.v1.OutboxPosition.number", "atrest.sync.v1.OutboxPosition.token",
        "atrest.sync.v1.Offer", "atrest.sync.v1.Offer.record",
        "atrest.sync.v1.Offer.written_fields", "atrest.sync.v1.Offer.restored",
        "atrest.sync.v1.ExchangeResponse", "atrest.sync.v1.ExchangeResponse.refusals",
        "atrest.sync.v1.ExchangeResponse.superseded_offers",
        "atrest.sync.v1.ExchangeResponse.records", "atrest.sync.v1.ExchangeResponse.cursor",
        "atrest.sync.v1.ExchangeResponse.more", "atrest.sync.v1.ExchangeResponse.restarted",
        "atrest.sync.v1.ExchangeResponse.server_time_ms", "atrest.sync.v1.ExchangeResponse.head",
        "atrest.sync.v1.ExchangeResponse.taken_through",
        "atrest.sync.v1.ExchangeResponse.clock_doubtful", "atrest.sync.v1.Refusal",
        "atrest.sync.v1.Refusal.index", "atrest.sync.v1.Refusal.reason",
        "atrest.sync.v1.Refusal.message", "atrest.sync.v1.Refusal.Reason",
        "atrest.sync.v1.Refusal.REASON_UNSPECIFIED", "atrest.sync.v1.Refusal.REASON_CLOCK_SKEW",
        "atrest.sync.v1.Refusal.REASON_INVALID", "atrest.sync.v1.Refusal.REASON_TOO_LARGE",
        "atrest.sync.v1.Refusal.REASON_MASS_DELETION", "atrest.sync.v1.Refusal.REASON_DAMAGED",
        "atrest.sync.v1.Refusal.REASON_QUOTA", "atrest.sync.v1.WatchRequest",
        "atrest.sync.v1.WatchRequest.cursor", "atrest.sync.v1.WatchResponse",
        "atrest.sync.v1.WatchResponse.after", "atrest.sync.v1.WatchResponse.records",
        "atrest.sync.v1.WatchResponse.cursor", "atrest.sync.v1.WatchResponse.server_time_ms",
        "atrest.sync.v1.ReconcileRequest", "atrest.sync.v1.ReconcileRequest.ranges",
        "atrest.sync.v1.ReconcileRequest.last_known_head", "atrest.sync.v1.Range",
        "atrest.sync.v1.Range.end", "atrest.sync.v1.Range.mode", "atrest.sync.v1.Range.count",
        "atrest.sync.v1.Range.fingerprint", "atrest.sync.v1.Range.items",
        "atrest.sync.v1.Range.Mode", "atrest.sync.v1.Range.MODE_SETTLED",
        "atrest.sync.v1.Range.MODE_FINGERPRINT", "atrest.sync.v1.Range.MODE_ITEMS",
        "atrest.sync.v1.Item", "atrest.sync.v1.Item.key", "atrest.sync.v1.Item.fingerprint",
        "atrest.sync.v1.ReconcileResponse", "atrest.sync.v1.ReconcileResponse.ranges",
        "atrest.sync.v1.ReconcileResponse.records", "atrest.sync.v1.ReconcileResponse.wanted_keys",
        "atrest.sync.v1.ReconcileResponse.server_time_ms",
        "atrest.sync.v1.ReconcileResponse.restarted", "atrest.sync.v1.Sync",
        "atrest.sync.v1.Sync.Exchange", "atrest.sync.v1.Sync.Watch",
        "atrest.sync.v1.Sync.Reconcile",
      ],
      base64: """
        ChlhdHJlc3Qvc3luYy92MS9zeW5jLnByb3RvEg5hdHJlc3Quc3luYy52MRocYXRyZXN0L3N5bmMvdjEvcmVjb3Jkcy\
        5wcm90byI8CgZDdXJzb3ISFgoGY29tbWl0GAEgASgGUgZjb21taXQSGgoIc2VxdWVuY2UYAiABKARSCHNlcXVlbmNl\
        ItkCCg9FeGNoYW5nZVJlcXVlc3QSLgoGY3Vyc29yGAEgASgLMhYuYXRyZXN0LnN5bmMudjEuQ3Vyc29yUgZjdXJzb3\
        ISLQoGb2ZmZXJzGAIgAygLMhUuYXRyZXN0LnN5bmMudjEuT2ZmZXJSBm9mZmVycxI+Cg9sYXN0X2tub3duX2hlYWQY\
        AyABKAsyFi5hdHJlc3Quc3luYy52MS5DdXJzb3JSDWxhc3RLbm93bkhlYWQSLgoTYWxsb3dfbWFzc19kZWxldGlvbh\
        gFIAEoCFIRYWxsb3dNYXNzRGVsZXRpb24SNwoHc2VnbWVudBgGIAEoCzIdLmF0cmVzdC5zeW5jLnYxLk91dGJveFNl\
        Z21lbnRSB3NlZ21lbnQSEgoEcGVlaxgHIAEoCFIEcGVlaxIkCg5kZXZpY2VfdGltZV9tcxgIIAEoA1IMZGV2aWNlVG\
        ltZU1zSgQIBBAFIq0BCg1PdXRib3hTZWdtZW50EhwKCWNvbmZpcm1lZBgBIAEoBlIJY29uZmlybWVkEhQKBXRva2Vu\
        GAIgASgGUgV0b2tlbhInCg9zZXR0bGVkX3Rocm91Z2gYAyABKARSDnNldHRsZWRUaHJvdWdoEhQKBXN0ZXBzGAQgAy\
        gNUgVzdGVwcxIpChBjb25maXJtZWRfbnVtYmVyGAUgASgEUg9jb25maXJtZWROdW1iZXIiPgoOT3V0Ym94UG9zaXRp\
        b24SFgoGbnVtYmVyGAEgASgEUgZudW1iZXISFAoFdG9rZW4YAiABKAZSBXRva2VuInoKBU9mZmVyEi4KBnJlY29yZB\
        gBIAEoCzIWLmF0cmVzdC5zeW5jLnYxLlJlY29yZFIGcmVjb3JkEiUKDndyaXR0ZW5fZmllbGRzGAIgAygNUg13cml0\
        dGVuRmllbGRzEhoKCHJlc3RvcmVkGAMgASgIUghyZXN0b3JlZCLMAwoQRXhjaGFuZ2VSZXNwb25zZRIzCghyZWZ1c2\
        FscxgBIAMoCzIXLmF0cmVzdC5zeW5jLnYxLlJlZnVzYWxSCHJlZnVzYWxzEisKEXN1cGVyc2VkZWRfb2ZmZXJzGAIg\
        AygNUhBzdXBlcnNlZGVkT2ZmZXJzEjAKB3JlY29yZHMYAyADKAsyFi5hdHJlc3Quc3luYy52MS5SZWNvcmRSB3JlY2\
        9yZHMSLgoGY3Vyc29yGAQgASgLMhYuYXRyZXN0LnN5bmMudjEuQ3Vyc29yUgZjdXJzb3ISEgoEbW9yZRgFIAEoCFIE\
        bW9yZRIcCglyZXN0YXJ0ZWQYBiABKAhSCXJlc3RhcnRlZBIkCg5zZXJ2ZXJfdGltZV9tcxgHIAEoA1IMc2VydmVyVG\
        ltZU1zEioKBGhlYWQYCSABKAsyFi5hdHJlc3Quc3luYy52MS5DdXJzb3JSBGhlYWQSQwoNdGFrZW5fdGhyb3VnaBgK\
        IAEoCzIeLmF0cmVzdC5zeW5jLnYxLk91dGJveFBvc2l0aW9uUgx0YWtlblRocm91Z2gSJQoOY2xvY2tfZG91YnRmdW\
        wYCyABKAhSDWNsb2NrRG91YnRmdWxKBAgIEAkimwIKB1JlZnVzYWwSFAoFaW5kZXgYASABKA1SBWluZGV4EjYKBnJl\
        YXNvbhgCIAEoDjIeLmF0cmVzdC5zeW5jLnYxLlJlZnVzYWwuUmVhc29uUgZyZWFzb24SGAoHbWVzc2FnZRgDIAEoCV\
        IHbWVzc2FnZSKnAQoGUmVhc29uEhYKElJFQVNPTl9VTlNQRUNJRklFRBAAEhUKEVJFQVNPTl9DTE9DS19TS0VXEAES\
        EgoOUkVBU09OX0lOVkFMSUQQAhIUChBSRUFTT05fVE9PX0xBUkdFEAMSGAoUUkVBU09OX01BU1NfREVMRVRJT04QBR\
        ISCg5SRUFTT05fREFNQUdFRBAGEhAKDFJFQVNPTl9RVU9UQRAHIgQIBBAEIj4KDFdhdGNoUmVxdWVzdBIuCgZjdXJz\
        b3IYASABKAsyFi5hdHJlc3Quc3luYy52MS5DdXJzb3JSBmN1cnNvciLFAQoNV2F0Y2hSZXNwb25zZRIsCgVhZnRlch\
        gBIAEoCzIWLmF0cmVzdC5zeW5jLnYxLkN1cnNvclIFYWZ0ZXISMAoHcmVjb3JkcxgCIAMoCzIWLmF0cmVzdC5zeW5j\
        LnYxLlJlY29yZFIHcmVjb3JkcxIuCgZjdXJzb3IYAyABKAsyFi5hdHJlc3Quc3luYy52MS5DdXJzb3JSBmN1cnNvch\
        IkCg5zZXJ2ZXJfdGltZV9tcxgEIAEoA1IMc2VydmVyVGltZU1zIoEBChBSZWNvbmNpbGVSZXF1ZXN0Ei0KBnJhbmdl\
        cxgBIAMoCzIVLmF0cmVzdC5zeW5jLnYxLlJhbmdlUgZyYW5nZXMSPgoPbGFzdF9rbm93bl9oZWFkGAIgASgLMhYuYX\
        RyZXN0LnN5bmMudjEuQ3Vyc29yUg1sYXN0S25vd25IZWFkIu0BCgVSYW5nZRIQCgNlbmQYASABKAxSA2VuZBIuCgRt\
        b2RlGAIgASgOMhouYXRyZXN0LnN5bmMudjEuUmFuZ2UuTW9kZVIEbW9kZRIUCgVjb3VudBgDIAEoBFIFY291bnQSIA\
        oLZmluZ2VycHJpbnQYBCABKAZSC2ZpbmdlcnByaW50EioKBWl0ZW1zGAUgAygLMhQuYXRyZXN0LnN5bmMudjEuSXRl\
        bVIFaXRlbXMiPgoETW9kZRIQCgxNT0RFX1NFVFRMRUQQABIUChBNT0RFX0ZJTkdFUlBSSU5UEAESDgoKTU9ERV9JVE\
        VNUxACIjoKBEl0ZW0SEAoDa2V5GAEgASgMUgNrZXkSIAoLZmluZ2VycHJpbnQYAiABKAZSC2ZpbmdlcnByaW50ItkB\
        ChFSZWNvbmNpbGVSZXNwb25zZRItCgZyYW5nZXMYASADKAsyFS5hdHJlc3Quc3luYy52MS5SYW5nZVIGcmFuZ2VzEj\
        AKB3JlY29yZHMYAiADKAsyFi5hdHJlc3Quc3luYy52MS5SZWNvcmRSB3JlY29yZHMSHwoLd2FudGVkX2tleXMYAyAD\
        KAxSCndhbnRlZEtleXMSJAoOc2VydmVyX3RpbWVfbXMYBCABKANSDHNlcnZlclRpbWVNcxIcCglyZXN0YXJ0ZWQYBS\
        ABKAhSCXJlc3RhcnRlZDLvAQoEU3luYxJNCghFeGNoYW5nZRIfLmF0cmVzdC5zeW5jLnYxLkV4Y2hhbmdlUmVxdWVz\
        dBogLmF0cmVzdC5zeW5jLnYxLkV4Y2hhbmdlUmVzcG9uc2USRgoFV2F0Y2gSHC5hdHJlc3Quc3luYy52MS5XYXRjaF\
        JlcXVlc3QaHS5hdHJlc3Quc3luYy52MS5XYXRjaFJlc3BvbnNlMAESUAoJUmVjb25jaWxlEiAuYXRyZXN0LnN5bmMu\
        djEuUmVjb25jaWxlUmVxdWVzdBohLmF0cmVzdC5zeW5jLnYxLlJlY29uY2lsZVJlc3BvbnNlQlEKEmNvbS5hdHJlc3\
        Quc3luYy52MVABWiJhdHJlc3QuY29tL3Byb3RvY29sL3N5bmMvdjE7c3luY3YxogIDQVRTqgIOQXRyZXN0LlN5bmMu\
        VjFiBnByb3RvMw==\

        """),
    ReflectedFile(
      name: "grpc/health/v1/health.proto",
      imports: [],
      services: ["grpc.health.v1.Health"],
      symbols: [
        "grpc.health.v1.HealthCheckRequest", "grpc.health.v1.HealthCheckRequest.service",
        "grpc.health.v1.HealthCheckResponse", "grpc.health.v1.HealthCheckResponse.status",
        "grpc.health.v1.HealthCheckResponse.ServingStatus",
        "grpc.health.v1.HealthCheckResponse.UNKNOWN", "grpc.health.v1.HealthCheckResponse.SERVING",
        "grpc.health.v1.HealthCheckResponse.NOT_SERVING",
        "grpc.health.v1.HealthCheckResponse.SERVICE_UNKNOWN", "grpc.health.v1.HealthListRequest",
        "grpc.health.v1.HealthListResponse", "grpc.health.v1.HealthListResponse.statuses",
        "grpc.health.v1.HealthListResponse.StatusesEntry",
        "grpc.health.v1.HealthListResponse.StatusesEntry.key",
        "grpc.health.v1.HealthListResponse.StatusesEntry.value", "grpc.health.v1.Health",
        "grpc.health.v1.Health.Check", "grpc.health.v1.Health.List", "grpc.health.v1.Health.Watch",
      ],
      base64: """
        ChtncnBjL2hlYWx0aC92MS9oZWFsdGgucHJvdG8SDmdycGMuaGVhbHRoLnYxIi4KEkhlYWx0aENoZWNrUmVxdWVzdB\
        IYCgdzZXJ2aWNlGAEgASgJUgdzZXJ2aWNlIrEBChNIZWFsdGhDaGVja1Jlc3BvbnNlEkkKBnN0YXR1cxgBIAEoDjIx\
        LmdycGMuaGVhbHRoLnYxLkhlYWx0aENoZWNrUmVzcG9uc2UuU2VydmluZ1N0YXR1c1IGc3RhdHVzIk8KDVNlcnZpbm\
        dTdGF0dXMSCwoHVU5LTk9XThAAEgsKB1NFUlZJTkcQARIPCgtOT1RfU0VSVklORxACEhMKD1NFUlZJQ0VfVU5LTk9X\
        ThADIhMKEUhlYWx0aExpc3RSZXF1ZXN0IsQBChJIZWFsdGhMaXN0UmVzcG9uc2USTAoIc3RhdHVzZXMYASADKAsyMC\
        5ncnBjLmhlYWx0aC52MS5IZWFsdGhMaXN0UmVzcG9uc2UuU3RhdHVzZXNFbnRyeVIIc3RhdHVzZXMaYAoNU3RhdHVz\
        ZXNFbnRyeRIQCgNrZXkYASABKAlSA2tleRI5CgV2YWx1ZRgCIAEoCzIjLmdycGMuaGVhbHRoLnYxLkhlYWx0aENoZW\
        NrUmVzcG9uc2VSBXZhbHVlOgI4ATL9AQoGSGVhbHRoElAKBUNoZWNrEiIuZ3JwYy5oZWFsdGgudjEuSGVhbHRoQ2hl\
        Y2tSZXF1ZXN0GiMuZ3JwYy5oZWFsdGgudjEuSGVhbHRoQ2hlY2tSZXNwb25zZRJNCgRMaXN0EiEuZ3JwYy5oZWFsdG\
        gudjEuSGVhbHRoTGlzdFJlcXVlc3QaIi5ncnBjLmhlYWx0aC52MS5IZWFsdGhMaXN0UmVzcG9uc2USUgoFV2F0Y2gS\
        Ii5ncnBjLmhlYWx0aC52MS5IZWFsdGhDaGVja1JlcXVlc3QaIy5ncnBjLmhlYWx0aC52MS5IZWFsdGhDaGVja1Jlc3\
        BvbnNlMAFiBnByb3RvMw==\

        """),
    ReflectedFile(
      name: "grpc/reflection/v1/reflection.proto",
      imports: [],
      services: ["grpc.reflection.v1.ServerReflection"],
      symbols: [
        "grpc.reflection.v1.ServerReflectionRequest",
        "grpc.reflection.v1.ServerReflectionRequest.host",
        "grpc.reflection.v1.ServerReflectionRequest.file_by_filename",
        "grpc.reflection.v1.ServerReflectionRequest.file_containing_symbol",
        "grpc.reflection.v1.ServerReflectionRequest.file_containing_extension",
        "grpc.reflection.v1.ServerReflectionRequest.all_extension_numbers_of_type",
        "grpc.reflection.v1.ServerReflectionRequest.list_services",
        "grpc.reflection.v1.ServerReflectionRequest.message_request",
        "grpc.reflection.v1.ExtensionRequest",
        "grpc.reflection.v1.ExtensionRequest.containing_type",
        "grpc.reflection.v1.ExtensionRequest.extension_number",
        "grpc.reflection.v1.ServerReflectionResponse",
        "grpc.reflection.v1.ServerReflectionResponse.valid_host",
        "grpc.reflection.v1.ServerReflectionResponse.original_request",
        "grpc.reflection.v1.ServerReflectionResponse.file_descriptor_response",
        "grpc.reflection.v1.ServerReflectionResponse.all_extension_numbers_response",
        "grpc.reflection.v1.ServerReflectionResponse.list_services_response",
        "grpc.reflection.v1.ServerReflectionResponse.error_response",
        "grpc.reflection.v1.ServerReflectionResponse.message_response",
        "grpc.reflection.v1.FileDescriptorResponse",
        "grpc.reflection.v1.FileDescriptorResponse.file_descriptor_proto",
        "grpc.reflection.v1.ExtensionNumberResponse",
        "grpc.reflection.v1.ExtensionNumberResponse.base_type_name",
        "grpc.reflection.v1.ExtensionNumberResponse.extension_number",
        "grpc.reflection.v1.ListServiceResponse", "grpc.reflection.v1.ListServiceResponse.service",
        "grpc.reflection.v1.ServiceResponse", "grpc.reflection.v1.ServiceResponse.name",
        "grpc.reflection.v1.ErrorResponse", "grpc.reflection.v1.ErrorResponse.error_code",
        "grpc.reflection.v1.ErrorResponse.error_message", "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1.ServerReflection.ServerReflectionInfo",
      ],
      base64: """
        CiNncnBjL3JlZmxlY3Rpb24vdjEvcmVmbGVjdGlvbi5wcm90bxISZ3JwYy5yZWZsZWN0aW9uLnYxIvMCChdTZXJ2ZX\
        JSZWZsZWN0aW9uUmVxdWVzdBISCgRob3N0GAEgASgJUgRob3N0EioKEGZpbGVfYnlfZmlsZW5hbWUYAyABKAlIAFIO\
        ZmlsZUJ5RmlsZW5hbWUSNgoWZmlsZV9jb250YWluaW5nX3N5bWJvbBgEIAEoCUgAUhRmaWxlQ29udGFpbmluZ1N5bW\
        JvbBJiChlmaWxlX2NvbnRhaW5pbmdfZXh0ZW5zaW9uGAUgASgLMiQuZ3JwYy5yZWZsZWN0aW9uLnYxLkV4dGVuc2lv\
        blJlcXVlc3RIAFIXZmlsZUNvbnRhaW5pbmdFeHRlbnNpb24SQgodYWxsX2V4dGVuc2lvbl9udW1iZXJzX29mX3R5cG\
        UYBiABKAlIAFIZYWxsRXh0ZW5zaW9uTnVtYmVyc09mVHlwZRIlCg1saXN0X3NlcnZpY2VzGAcgASgJSABSDGxpc3RT\
        ZXJ2aWNlc0IRCg9tZXNzYWdlX3JlcXVlc3QiZgoQRXh0ZW5zaW9uUmVxdWVzdBInCg9jb250YWluaW5nX3R5cGUYAS\
        ABKAlSDmNvbnRhaW5pbmdUeXBlEikKEGV4dGVuc2lvbl9udW1iZXIYAiABKAVSD2V4dGVuc2lvbk51bWJlciKuBAoY\
        U2VydmVyUmVmbGVjdGlvblJlc3BvbnNlEh0KCnZhbGlkX2hvc3QYASABKAlSCXZhbGlkSG9zdBJWChBvcmlnaW5hbF\
        9yZXF1ZXN0GAIgASgLMisuZ3JwYy5yZWZsZWN0aW9uLnYxLlNlcnZlclJlZmxlY3Rpb25SZXF1ZXN0Ug9vcmlnaW5h\
        bFJlcXVlc3QSZgoYZmlsZV9kZXNjcmlwdG9yX3Jlc3BvbnNlGAQgASgLMiouZ3JwYy5yZWZsZWN0aW9uLnYxLkZpbG\
        VEZXNjcmlwdG9yUmVzcG9uc2VIAFIWZmlsZURlc2NyaXB0b3JSZXNwb25zZRJyCh5hbGxfZXh0ZW5zaW9uX251bWJl\
        cnNfcmVzcG9uc2UYBSABKAsyKy5ncnBjLnJlZmxlY3Rpb24udjEuRXh0ZW5zaW9uTnVtYmVyUmVzcG9uc2VIAFIbYW\
        xsRXh0ZW5zaW9uTnVtYmVyc1Jlc3BvbnNlEl8KFmxpc3Rfc2VydmljZXNfcmVzcG9uc2UYBiABKAsyJy5ncnBjLnJl\
        ZmxlY3Rpb24udjEuTGlzdFNlcnZpY2VSZXNwb25zZUgAUhRsaXN0U2VydmljZXNSZXNwb25zZRJKCg5lcnJvcl9yZX\
        Nwb25zZRgHIAEoCzIhLmdycGMucmVmbGVjdGlvbi52MS5FcnJvclJlc3BvbnNlSABSDWVycm9yUmVzcG9uc2VCEgoQ\
        bWVzc2FnZV9yZXNwb25zZSJMChZGaWxlRGVzY3JpcHRvclJlc3BvbnNlEjIKFWZpbGVfZGVzY3JpcHRvcl9wcm90bx\
        gBIAMoDFITZmlsZURlc2NyaXB0b3JQcm90byJqChdFeHRlbnNpb25OdW1iZXJSZXNwb25zZRIkCg5iYXNlX3R5cGVf\
        bmFtZRgBIAEoCVIMYmFzZVR5cGVOYW1lEikKEGV4dGVuc2lvbl9udW1iZXIYAiADKAVSD2V4dGVuc2lvbk51bWJlci\
        JUChNMaXN0U2VydmljZVJlc3BvbnNlEj0KB3NlcnZpY2UYASADKAsyIy5ncnBjLnJlZmxlY3Rpb24udjEuU2Vydmlj\
        ZVJlc3BvbnNlUgdzZXJ2aWNlIiUKD1NlcnZpY2VSZXNwb25zZRISCgRuYW1lGAEgASgJUgRuYW1lIlMKDUVycm9yUm\
        VzcG9uc2USHQoKZXJyb3JfY29kZRgBIAEoBVIJZXJyb3JDb2RlEiMKDWVycm9yX21lc3NhZ2UYAiABKAlSDGVycm9y\
        TWVzc2FnZTKJAQoQU2VydmVyUmVmbGVjdGlvbhJ1ChRTZXJ2ZXJSZWZsZWN0aW9uSW5mbxIrLmdycGMucmVmbGVjdG\
        lvbi52MS5TZXJ2ZXJSZWZsZWN0aW9uUmVxdWVzdBosLmdycGMucmVmbGVjdGlvbi52MS5TZXJ2ZXJSZWZsZWN0aW9u\
        UmVzcG9uc2UoATABYgZwcm90bzM=\

        """),
    ReflectedFile(
      name: "grpc/reflection/v1alpha/reflection.proto",
      imports: [],
      services: ["grpc.reflection.v1alpha.ServerReflection"],
      symbols: [
        "grpc.reflection.v1alpha.ServerReflectionRequest",
        "grpc.reflection.v1alpha.ServerReflectionRequest.host",
        "grpc.reflection.v1alpha.ServerReflectionRequest.file_by_filename",
        "grpc.reflection.v1alpha.ServerReflectionRequest.file_containing_symbol",
        "grpc.reflection.v1alpha.ServerReflectionRequest.file_containing_extension",
        "grpc.reflection.v1alpha.ServerReflectionRequest.all_extension_numbers_of_type",
        "grpc.reflection.v1alpha.ServerReflectionRequest.list_services",
        "grpc.reflection.v1alpha.ServerReflectionRequest.message_request",
        "grpc.reflection.v1alpha.ExtensionRequest",
        "grpc.reflection.v1alpha.ExtensionRequest.containing_type",
        "grpc.reflection.v1alpha.ExtensionRequest.extension_number",
        "grpc.reflection.v1alpha.ServerReflectionResponse",
        "grpc.reflection.v1alpha.ServerReflectionResponse.valid_host",
        "grpc.reflection.v1alpha.ServerReflectionResponse.original_request",
        "grpc.reflection.v1alpha.ServerReflectionResponse.file_descriptor_response",
        "grpc.reflection.v1alpha.ServerReflectionResponse.all_extension_numbers_response",
        "grpc.reflection.v1alpha.ServerReflectionResponse.list_services_response",
        "grpc.reflection.v1alpha.ServerReflectionResponse.error_response",
        "grpc.reflection.v1alpha.ServerReflectionResponse.message_response",
        "grpc.reflection.v1alpha.FileDescriptorResponse",
        "grpc.reflection.v1alpha.FileDescriptorResponse.file_descriptor_proto",
        "grpc.reflection.v1alpha.ExtensionNumberResponse",
        "grpc.reflection.v1alpha.ExtensionNumberResponse.base_type_name",
        "grpc.reflection.v1alpha.ExtensionNumberResponse.extension_number",
        "grpc.reflection.v1alpha.ListServiceResponse",
        "grpc.reflection.v1alpha.ListServiceResponse.service",
        "grpc.reflection.v1alpha.ServiceResponse", "grpc.reflection.v1alpha.ServiceResponse.name",
        "grpc.reflection.v1alpha.ErrorResponse", "grpc.reflection.v1alpha.ErrorResponse.error_code",
        "grpc.reflection.v1alpha.ErrorResponse.error_message",
        "grpc.reflection.v1alpha.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection.ServerReflectionInfo",
      ],
      base64: """
        CihncnBjL3JlZmxlY3Rpb24vdjFhbHBoYS9yZWZsZWN0aW9uLnByb3RvEhdncnBjLnJlZmxlY3Rpb24udjFhbHBoYS\
        L4AgoXU2VydmVyUmVmbGVjdGlvblJlcXVlc3QSEgoEaG9zdBgBIAEoCVIEaG9zdBIqChBmaWxlX2J5X2ZpbGVuYW1l\
        GAMgASgJSABSDmZpbGVCeUZpbGVuYW1lEjYKFmZpbGVfY29udGFpbmluZ19zeW1ib2wYBCABKAlIAFIUZmlsZUNvbn\
        RhaW5pbmdTeW1ib2wSZwoZZmlsZV9jb250YWluaW5nX2V4dGVuc2lvbhgFIAEoCzIpLmdycGMucmVmbGVjdGlvbi52\
        MWFscGhhLkV4dGVuc2lvblJlcXVlc3RIAFIXZmlsZUNvbnRhaW5pbmdFeHRlbnNpb24SQgodYWxsX2V4dGVuc2lvbl\
        9udW1iZXJzX29mX3R5cGUYBiABKAlIAFIZYWxsRXh0ZW5zaW9uTnVtYmVyc09mVHlwZRIlCg1saXN0X3NlcnZpY2Vz\
        GAcgASgJSABSDGxpc3RTZXJ2aWNlc0IRCg9tZXNzYWdlX3JlcXVlc3QiZgoQRXh0ZW5zaW9uUmVxdWVzdBInCg9jb2\
        50YWluaW5nX3R5cGUYASABKAlSDmNvbnRhaW5pbmdUeXBlEikKEGV4dGVuc2lvbl9udW1iZXIYAiABKAVSD2V4dGVu\
        c2lvbk51bWJlciLHBAoYU2VydmVyUmVmbGVjdGlvblJlc3BvbnNlEh0KCnZhbGlkX2hvc3QYASABKAlSCXZhbGlkSG\
        9zdBJbChBvcmlnaW5hbF9yZXF1ZXN0GAIgASgLMjAuZ3JwYy5yZWZsZWN0aW9uLnYxYWxwaGEuU2VydmVyUmVmbGVj\
        dGlvblJlcXVlc3RSD29yaWdpbmFsUmVxdWVzdBJrChhmaWxlX2Rlc2NyaXB0b3JfcmVzcG9uc2UYBCABKAsyLy5ncn\
        BjLnJlZmxlY3Rpb24udjFhbHBoYS5GaWxlRGVzY3JpcHRvclJlc3BvbnNlSABSFmZpbGVEZXNjcmlwdG9yUmVzcG9u\
        c2USdwoeYWxsX2V4dGVuc2lvbl9udW1iZXJzX3Jlc3BvbnNlGAUgASgLMjAuZ3JwYy5yZWZsZWN0aW9uLnYxYWxwaG\
        EuRXh0ZW5zaW9uTnVtYmVyUmVzcG9uc2VIAFIbYWxsRXh0ZW5zaW9uTnVtYmVyc1Jlc3BvbnNlEmQKFmxpc3Rfc2Vy\
        dmljZXNfcmVzcG9uc2UYBiABKAsyLC5ncnBjLnJlZmxlY3Rpb24udjFhbHBoYS5MaXN0U2VydmljZVJlc3BvbnNlSA\
        BSFGxpc3RTZXJ2aWNlc1Jlc3BvbnNlEk8KDmVycm9yX3Jlc3BvbnNlGAcgASgLMiYuZ3JwYy5yZWZsZWN0aW9uLnYx\
        YWxwaGEuRXJyb3JSZXNwb25zZUgAUg1lcnJvclJlc3BvbnNlQhIKEG1lc3NhZ2VfcmVzcG9uc2UiTAoWRmlsZURlc2\
        NyaXB0b3JSZXNwb25zZRIyChVmaWxlX2Rlc2NyaXB0b3JfcHJvdG8YASADKAxSE2ZpbGVEZXNjcmlwdG9yUHJvdG8i\
        agoXRXh0ZW5zaW9uTnVtYmVyUmVzcG9uc2USJAoOYmFzZV90eXBlX25hbWUYASABKAlSDGJhc2VUeXBlTmFtZRIpCh\
        BleHRlbnNpb25fbnVtYmVyGAIgAygFUg9leHRlbnNpb25OdW1iZXIiWQoTTGlzdFNlcnZpY2VSZXNwb25zZRJCCgdz\
        ZXJ2aWNlGAEgAygLMiguZ3JwYy5yZWZsZWN0aW9uLnYxYWxwaGEuU2VydmljZVJlc3BvbnNlUgdzZXJ2aWNlIiUKD1\
        NlcnZpY2VSZXNwb25zZRISCgRuYW1lGAEgASgJUgRuYW1lIlMKDUVycm9yUmVzcG9uc2USHQoKZXJyb3JfY29kZRgB\
        IAEoBVIJZXJyb3JDb2RlEiMKDWVycm9yX21lc3NhZ2UYAiABKAlSDGVycm9yTWVzc2FnZTKTAQoQU2VydmVyUmVmbG\
        VjdGlvbhJ/ChRTZXJ2ZXJSZWZsZWN0aW9uSW5mbxIwLmdycGMucmVmbGVjdGlvbi52MWFscGhhLlNlcnZlclJlZmxl\
        Y3Rpb25SZXF1ZXN0GjEuZ3JwYy5yZWZsZWN0aW9uLnYxYWxwaGEuU2VydmVyUmVmbGVjdGlvblJlc3BvbnNlKAEwAW\
        IGcHJvdG8z\

        """),
  ]
}
