// SPDX-License-Identifier: Apache-2.0
// Merges two copies of a record: docs/protocol/merge.md. Knows no kinds.

package main

import (
	"bytes"
	"sort"

	pb "atrest.com/protocol/sync/v1"
)

const (
	deleted    = 1
	pruneFloor = 15
)

// compare orders writes: by clock, then by replica.
func compare(a, b *pb.Stamp) int {
	for _, pair := range [][2]uint64{{a.GetClock(), b.GetClock()}, {a.GetReplica(), b.GetReplica()}} {
		if pair[0] != pair[1] {
			if pair[0] < pair[1] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// survives tells whether a wins over b: by stamp, value, what it replaced, and what it held.
func survives(a, b *pb.Register) bool {
	if order := compare(a.Stamp, b.Stamp); order != 0 {
		return order > 0
	}
	if order := bytes.Compare(a.Value, b.Value); order != 0 {
		return order > 0
	}
	if (a.Replaced == nil) != (b.Replaced == nil) {
		return b.Replaced == nil
	}
	if order := compare(a.Replaced, b.Replaced); order != 0 {
		return order > 0
	}
	for index, stamp := range a.HeldStamps {
		if index == len(b.HeldStamps) {
			return true
		}
		if order := compare(stamp, b.HeldStamps[index]); order != 0 {
			return order > 0
		}
	}
	return false
}

func find(record *pb.Record, field uint32) *pb.Register {
	for _, register := range record.Registers {
		if register.Field == field {
			return register
		}
	}
	return nil
}

// held is what a deletion tells that its writer had: the newest 64 stamps of the record.
func held(record *pb.Record) []*pb.Stamp {
	var stamps []*pb.Stamp
	for _, register := range record.GetRegisters() {
		stamps = append(append(stamps, register.Stamp), register.HeldStamps...)
		if register.Replaced != nil {
			stamps = append(stamps, register.Replaced)
		}
	}
	sort.Slice(stamps, func(i, j int) bool { return compare(stamps[i], stamps[j]) < 0 })
	var each []*pb.Stamp
	for _, stamp := range stamps {
		if len(each) == 0 || compare(each[len(each)-1], stamp) != 0 {
			each = append(each, stamp)
		}
	}
	if len(each) > 64 {
		each = each[len(each)-64:]
	}
	return each
}

// merged makes one of two copies: in any order, any number of times.
func merged(mine, theirs *pb.Record) *pb.Record {
	ours, other := find(mine, pruneFloor), find(theirs, pruneFloor)
	if other != nil && (ours == nil || survives(other, ours)) {
		return theirs // It was pruned since.
	}
	if ours != nil && (other == nil || survives(ours, other)) {
		return mine
	}
	greatest := map[uint32]*pb.Register{}
	for _, side := range []*pb.Record{mine, theirs} {
		for _, register := range side.Registers {
			if known := greatest[register.Field]; known == nil || survives(register, known) {
				greatest[register.Field] = register
			}
		}
	}
	result := &pb.Record{Kind: theirs.Kind, Id: theirs.Id}
	for _, register := range greatest {
		result.Registers = append(result.Registers, register)
	}
	sort.Slice(result.Registers, func(i, j int) bool {
		return result.Registers[i].Field < result.Registers[j].Field
	})
	return result
}
