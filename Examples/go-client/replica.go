// SPDX-License-Identifier: Apache-2.0
// The replica: its file, its clock, its writes, and its exchanges with the server.

package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/golang/protobuf/proto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

	pb "atrest.com/protocol/sync/v1"
)

// pageOffers: a server takes 1,000, and 256 KiB; these fit easily.
const pageOffers = 100

type entry struct {
	Offer  []byte
	Number uint64 // 0: not sent yet.
}

// replica is all in one file, which is replaced whole: that is its transaction.
type replica struct {
	path                                    string
	Link, Address, Trust, Code, Token       string
	Nonce, Renewal, Cursor                  []byte
	Head                                    []byte // While a pull is under way.
	Replica, Clock, Taken, Given, Confirmed uint64
	Newest                                  uint64            // The newest of the tokens.
	Tokens                                  map[uint64]uint64 // With the greatest number given by then.
	Records                                 map[string][]byte
	Outbox                                  []*entry
	Refused                                 []string
}

func open(path string) (*replica, error) {
	r := &replica{path: path, Tokens: map[uint64]uint64{}, Records: map[string][]byte{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	} else if err != nil {
		return nil, err
	}
	return r, json.Unmarshal(text, r)
}

func (r *replica) save() error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(r.path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(text); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return os.Rename(r.path+".new", r.path)
}

func random() (number uint64) {
	var bytes [8]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		panic(err) // The system has no random numbers.
	}
	return binary.BigEndian.Uint64(bytes[:])>>1 + 1
}

// Writing: never waits, never asks.

func (r *replica) record(key string) *pb.Record {
	record := &pb.Record{}
	if err := proto.Unmarshal(r.Records[key], record); err != nil {
		panic(err) // The file is ours alone.
	}
	return record
}

func encoded(message proto.Message) []byte {
	bytes, err := proto.Marshal(message)
	if err != nil {
		panic(err) // Every message here can be encoded.
	}
	return bytes
}

func keyOf(record *pb.Record) string { return fmt.Sprintf("%d/%x", record.Kind, record.Id) }

func (r *replica) store(record *pb.Record) {
	key := keyOf(record)
	r.Records[key] = encoded(merged(r.record(key), record))
	for _, register := range record.Registers {
		// Facts have times of their own.
		if record.Kind != pb.Kind_KIND_ENTITLEMENT && register.Stamp.Clock > r.Clock {
			r.Clock = register.Stamp.Clock
		}
	}
}

// write changes fields with one stamp, over what was there, and queues the whole record.
func (r *replica) write(kind pb.Kind, id []byte, fields map[uint32][]byte) error {
	// The hybrid logical clock: 48 bits of milliseconds above 16 bits of a counter.
	r.Clock++
	if now := uint64(time.Now().UnixMilli()) << 16; now > r.Clock {
		r.Clock = now
	}
	written := &pb.Record{Kind: kind, Id: id}
	offer, old := &pb.Offer{}, r.record(keyOf(written))
	for field, value := range fields {
		register := &pb.Register{Field: field, Value: value}
		register.Stamp = &pb.Stamp{Clock: r.Clock, Replica: r.Replica}
		if before := find(old, field); before != nil {
			register.Replaced = before.Stamp
		}
		if field == deleted && len(value) > 0 {
			register.HeldStamps = held(old)
		}
		written.Registers = append(written.Registers, register)
		offer.WrittenFields = append(offer.WrittenFields, field)
	}
	sort.Slice(offer.WrittenFields, func(i, j int) bool {
		return offer.WrittenFields[i] < offer.WrittenFields[j]
	})
	r.store(written)
	offer.Record = r.record(keyOf(written))
	r.Outbox = append(r.Outbox, &entry{Offer: encoded(offer)})
	return r.save()
}

// Talking.

func (r *replica) dial() (*grpc.ClientConn, error) {
	config := &tls.Config{}
	switch r.Trust {
	case "":
		return grpc.Dial(r.Address, grpc.WithInsecure())
	case "ca":
	default:
		// The hash alone says who the server is: neither names nor dates matter.
		config.InsecureSkipVerify = true
		config.VerifyPeerCertificate = func(raw [][]byte, _ [][]*x509.Certificate) error {
			if sum := sha256.Sum256(raw[0]); hex.EncodeToString(sum[:]) != r.Trust {
				return errors.New("this is another server than the link named")
			}
			return nil
		}
	}
	return grpc.Dial(
		r.Address, grpc.WithTransportCredentials(credentials.NewTLS(config)),
		grpc.FailOnNonTempDialError(true), grpc.WithBlock(), grpc.WithTimeout(10*time.Second),
		grpc.WithReturnConnectionError())
}

func (r *replica) authorized() context.Context {
	return metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+r.Token)
}

// pair joins. The nonce is durable first: a call that was cut off is repeated with the same result.
func (r *replica) pair(link, name string) error {
	if r.Link != link {
		parts := strings.Split(strings.TrimPrefix(link, "atrest://"), "/")
		r.Link, r.Address, r.Code, r.Trust = link, parts[0], parts[len(parts)-1], ""
		if len(parts) == 3 {
			r.Trust = parts[1]
		}
		r.Nonce = make([]byte, 32)
		if _, err := rand.Read(r.Nonce); err != nil {
			return err
		}
		if err := r.save(); err != nil {
			return err
		}
	}
	connection, err := r.dial()
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 6*time.Minute)
	defer cancel()
	request := &pb.PairRequest{Code: r.Code, DeviceName: name, Nonce: r.Nonce}
	answer, err := pb.NewDevicesClient(connection).Pair(ctx, request)
	if err != nil {
		return err
	}
	r.Replica, r.Token = answer.Replica, answer.Token
	return r.save()
}

func (r *replica) sync() error {
	connection, err := r.dial()
	if err != nil {
		return err
	}
	defer connection.Close()
	for more := true; more && err == nil; {
		more, err = r.exchange(connection)
	}
	return err
}

// waiting are the offers that the server has not taken. The others stay until they are settled.
func (r *replica) waiting() []*entry {
	waiting := []*entry{}
	for _, entry := range r.Outbox {
		if entry.Number == 0 || entry.Number > r.Taken {
			waiting = append(waiting, entry)
		}
	}
	return waiting
}

// page is the next request. New offers get numbers, under a token that is drawn and durable first.
func (r *replica) page() (*pb.ExchangeRequest, []*entry, error) {
	sent := r.waiting()
	if len(sent) > pageOffers {
		sent = sent[:pageOffers]
	}
	given := r.Given
	for _, entry := range sent {
		if entry.Number == 0 {
			r.Given++
			entry.Number = r.Given
		}
	}
	if r.Given > given {
		r.Newest = random()
		r.Tokens[r.Newest] = r.Given
		if err := r.save(); err != nil {
			return nil, nil, err
		}
	}
	request := &pb.ExchangeRequest{DeviceTimeMs: time.Now().UnixMilli()}
	if r.Cursor != nil {
		request.Cursor = &pb.Cursor{}
		if err := proto.Unmarshal(r.Cursor, request.Cursor); err != nil {
			return nil, nil, err
		}
	}
	if r.Head != nil {
		request.LastKnownHead = &pb.Cursor{}
		if err := proto.Unmarshal(r.Head, request.LastKnownHead); err != nil {
			return nil, nil, err
		}
	}
	if len(r.Outbox) > 0 {
		segment := &pb.OutboxSegment{
			Confirmed: r.Confirmed, ConfirmedNumber: r.Taken, Token: r.Newest, SettledThrough: r.Taken}
		previous := r.Taken
		for _, entry := range sent {
			offer := &pb.Offer{}
			if err := proto.Unmarshal(entry.Offer, offer); err != nil {
				return nil, nil, err
			}
			request.Offers = append(request.Offers, offer)
			segment.Steps = append(segment.Steps, uint32(entry.Number-previous))
			previous = entry.Number
		}
		request.Segment = segment
	}
	return request, sent, nil
}

// exchange is one round. True if there is more to do.
func (r *replica) exchange(connection *grpc.ClientConn) (bool, error) {
	request, sent, err := r.page()
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(r.authorized(), 30*time.Second)
	defer cancel()
	answer, err := pb.NewSyncClient(connection).Exchange(ctx, request)
	if err != nil {
		return false, err
	}
	if request.Segment != nil {
		taken := answer.TakenThrough
		if given, known := r.Tokens[taken.GetToken()]; taken.GetToken() != 0 && (!known || given < taken.Number) {
			return true, r.renew(ctx, connection)
		}
		for _, refusal := range answer.Refusals {
			if int(refusal.Index) < len(sent) && sent[refusal.Index].Number <= taken.GetNumber() {
				r.Refused = append(r.Refused, refusal.Reason.String()+" "+refusal.Message)
				r.remove(sent[refusal.Index])
			}
		}
		// Of offers beyond those in this request no verdict is known.
		last := r.Taken
		if len(sent) > 0 {
			last = sent[len(sent)-1].Number
		}
		if r.Taken, r.Confirmed = taken.GetNumber(), taken.GetToken(); r.Taken > last {
			r.Taken = last
		}
	}
	if answer.Restarted {
		r.giveBack()
	}
	for _, record := range answer.Records {
		r.store(record)
	}
	r.Cursor, r.Head = encoded(answer.Cursor), nil
	if answer.More {
		r.Head = encoded(answer.Head)
	} else { // All that precedes the head is here: what was taken is settled.
		r.Outbox = r.waiting()
	}
	return answer.More || len(r.Outbox) > 0, r.save()
}

func (r *replica) remove(refused *entry) {
	for index, entry := range r.Outbox {
		if entry == refused {
			r.Outbox = append(r.Outbox[:index:index], r.Outbox[index+1:]...)
			return
		}
	}
}

// giveBack: the server lost something. It sends all it has, and is offered all that is here.
func (r *replica) giveBack() {
	for key := range r.Records {
		record := r.record(key)
		if record.Kind != pb.Kind_KIND_CONFLICT && record.Kind != pb.Kind_KIND_ENTITLEMENT {
			offer := &pb.Offer{Record: record, Restored: true}
			r.Outbox = append(r.Outbox, &entry{Offer: encoded(offer)})
		}
	}
}

// renew: this file is a copy, and the original went on. What still waits gets a new identity.
func (r *replica) renew(ctx context.Context, connection *grpc.ClientConn) error {
	if r.Renewal == nil {
		r.Renewal = make([]byte, 32)
		if _, err := rand.Read(r.Renewal); err != nil {
			return err
		}
		if err := r.save(); err != nil {
			return err
		}
	}
	answer, err := pb.NewDevicesClient(connection).Renew(ctx, &pb.RenewRequest{Nonce: r.Renewal})
	if err != nil {
		return err
	}
	offers, mine := make([]*pb.Offer, len(r.Outbox)), map[uint64]bool{}
	for index, entry := range r.Outbox {
		offers[index] = &pb.Offer{}
		if err := proto.Unmarshal(entry.Offer, offers[index]); err != nil {
			return err
		}
		for _, field := range offers[index].WrittenFields {
			if register := find(offers[index].Record, field); register.GetStamp().GetReplica() == r.Replica {
				mine[register.Stamp.Clock] = true
			}
		}
	}
	rename := func(record *pb.Record) {
		for _, register := range record.Registers {
			for _, stamp := range append([]*pb.Stamp{register.Stamp, register.Replaced}, register.HeldStamps...) {
				if stamp != nil && stamp.Replica == r.Replica && mine[stamp.Clock] {
					stamp.Replica = answer.Replica
				}
			}
			had := register.HeldStamps
			sort.Slice(had, func(i, j int) bool { return compare(had[i], had[j]) < 0 })
		}
	}
	for index, offer := range offers {
		rename(offer.Record)
		r.Outbox[index] = &entry{Offer: encoded(offer)}
	}
	for key := range r.Records {
		record := r.record(key)
		rename(record)
		r.Records[key] = encoded(record)
	}
	r.Replica, r.Token, r.Renewal = answer.Replica, answer.Token, nil
	r.Tokens, r.Newest, r.Taken, r.Given, r.Confirmed = map[uint64]uint64{}, 0, 0, 0, 0
	return r.save()
}
