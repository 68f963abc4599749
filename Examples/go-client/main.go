// SPDX-License-Identifier: Apache-2.0
// A complete client of Atrest Sync: a replica in one JSON file that notes water, offline, and syncs.
//
//	client FILE pair LINK NAME      joins an account
//	client FILE add MILLILITRES     notes a drink; needs no network
//	client FILE delete ID           takes one away
//	client FILE list                what this replica holds
//	client FILE sync                exchanges until nothing is left
//	client FILE watch SECONDS       stays up to date
//
// It is explained in docs/protocol/write-a-client.md, step by step.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"sort"
	"strconv"
	"time"

	"github.com/golang/protobuf/proto"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "atrest.com/protocol/sync/v1"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: client FILE pair|add|delete|list|sync|watch ...")
		os.Exit(64)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(path, command string, words []string) error {
	replica, err := open(path)
	if err != nil {
		return err
	}
	switch {
	case command == "pair" && len(words) == 2:
		return replica.pair(words[0], words[1])
	case command == "add" && len(words) == 1:
		millilitres, err := strconv.ParseUint(words[0], 10, 32)
		if err != nil {
			return err
		}
		intake := &pb.Water_Intake{AtMs: time.Now().UnixMilli(), Millilitres: uint32(millilitres)}
		value, err := proto.Marshal(&pb.Water{Intake: intake})
		if err != nil {
			return err
		}
		id := make([]byte, 16)
		if _, err := rand.Read(id); err != nil {
			return err
		}
		return replica.write(pb.Kind_KIND_WATER, id, map[uint32][]byte{deleted: nil, 2: value})
	case command == "delete" && len(words) == 1:
		id, err := hex.DecodeString(words[0])
		if err != nil {
			return err
		}
		return replica.write(pb.Kind_KIND_WATER, id, map[uint32][]byte{deleted: {0x08, 0x01}})
	case command == "list":
		return replica.list()
	case command == "sync":
		return replica.sync()
	case command == "watch" && len(words) == 1:
		seconds, err := strconv.Atoi(words[0])
		if err != nil {
			return err
		}
		return replica.watch(time.Duration(seconds) * time.Second)
	}
	return fmt.Errorf("%s: see the head of main.go", command)
}

func (r *replica) list() error {
	keys := make([]string, 0, len(r.Records))
	for key := range r.Records {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		record := r.record(key)
		if record.Kind != pb.Kind_KIND_WATER {
			continue
		}
		// The values of the registers, one after the other, are the kind's message.
		var message []byte
		for _, register := range record.Registers {
			message = append(message, register.Value...)
		}
		var water pb.Water
		if err := proto.Unmarshal(message, &water); err != nil {
			return err
		}
		if !water.Deleted {
			fmt.Printf("%x %d ml\n", record.Id, water.Intake.GetMillilitres())
		}
	}
	for _, refusal := range r.Refused {
		fmt.Println("refused:", refusal)
	}
	return nil
}

// watch stores the commits that follow what is here; any other one is a reason to exchange.
func (r *replica) watch(duration time.Duration) error {
	if err := r.sync(); err != nil {
		return err
	}
	connection, err := r.dial()
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(r.authorized(), duration)
	defer cancel()
	stream, err := pb.NewSyncClient(connection).Watch(ctx, &pb.WatchRequest{})
	for err == nil {
		var event *pb.WatchResponse
		if event, err = stream.Recv(); err != nil {
			break
		}
		if after, _ := proto.Marshal(event.After); string(after) == string(r.Cursor) {
			for _, record := range event.Records {
				r.store(record)
			}
			r.Cursor, _ = proto.Marshal(event.Cursor)
			err = r.save()
		} else if cursor, _ := proto.Marshal(event.Cursor); string(cursor) != string(r.Cursor) {
			err = r.sync()
		}
	}
	if status.Code(err) == codes.DeadlineExceeded {
		return nil
	}
	return err
}
