// SPDX-License-Identifier: Apache-2.0
// The merge does what the vectors say: docs/protocol/write-a-client.md.

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/golang/protobuf/proto"

	pb "atrest.com/protocol/sync/v1"
)

func TestVectors(t *testing.T) {
	text, err := os.ReadFile(os.Getenv("ATREST_VECTORS"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for number, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var vector struct {
			Steps []struct {
				Offer, Result []byte
				Refused       string
			}
		}
		if err := json.Unmarshal(line, &vector); err != nil {
			t.Fatal(err)
		}
		held := &pb.Record{}
		for _, step := range vector.Steps {
			if step.Refused != "" {
				continue
			}
			offer, result := &pb.Offer{}, &pb.Record{}
			if err := proto.Unmarshal(step.Offer, offer); err != nil {
				t.Fatal(err)
			}
			if err := proto.Unmarshal(step.Result, result); err != nil {
				t.Fatal(err)
			}
			held = merged(held, offer.Record)
			if !bytes.Equal(encoded(held), encoded(result)) {
				t.Fatalf("line %d", number+1)
			}
			count++
		}
	}
	if count < 2000 {
		t.Fatalf("only %d merges", count)
	}
}
