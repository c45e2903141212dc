// A client of webtransport-go for the interop matrix: ENDPOINT HASH; prints what became of each step as JSON.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/quic-go/quic-go/quicvarint"
	"github.com/quic-go/webtransport-go"
)

const (
	target        = "/media.mp4"
	streamBytes   = 1_000_000
	datagramBytes = 10_000
	flow          = 7
	sessions      = 20
)

// The file's bytes are i % 251.
func right(data []byte, offset int) error {
	for index, value := range data {
		if int(value) != (offset+index)%251 {
			return fmt.Errorf("byte %d is wrong", offset+index)
		}
	}
	return nil
}

// The TLS configuration that accepts the certificate of this SHA-256 alone.
func accepting(hash string) *tls.Config {
	return &tls.Config{
		InsecureSkipVerify: true,
		NextProtos:         []string{"h3"},
		VerifyConnection: func(state tls.ConnectionState) error {
			digest := sha256.Sum256(state.PeerCertificates[0].Raw)
			if base64.StdEncoding.EncodeToString(digest[:]) != hash {
				return errors.New("the certificate is another one")
			}
			return nil
		},
	}
}

func request(ctx context.Context, session *webtransport.Session, fields string) (string, []byte, error) {
	stream, err := session.OpenStreamSync(ctx)
	if err != nil {
		return "", nil, err
	}
	if _, err := fmt.Fprintf(stream, "GET %s HTTP/1.1\r\nhost: interop\r\n%s\r\n", target, fields); err != nil {
		return "", nil, err
	}
	if err := stream.Close(); err != nil {
		return "", nil, err
	}
	answer, err := io.ReadAll(stream)
	head, body, _ := bytes.Cut(answer, []byte("\r\n\r\n"))
	return string(head), body, err
}

func reliable(ctx context.Context, session *webtransport.Session, length int) error {
	_, body, err := request(ctx, session, fmt.Sprintf("range: bytes=0-%d\r\n", length-1))
	if err != nil {
		return err
	}
	if len(body) != length {
		return fmt.Errorf("%d of %d bytes", len(body), length)
	}
	return right(body, 0)
}

func datagrams(ctx context.Context, session *webtransport.Session) error {
	done := make(chan error, 1)
	go func() {
		for received := 0; received < datagramBytes; {
			data, err := session.ReceiveDatagram(ctx)
			if err != nil {
				done <- fmt.Errorf("%d of %d bytes: %w", received, datagramBytes, err)
				return
			}
			number, first, _ := quicvarint.Parse(data)
			offset, second, err := quicvarint.Parse(data[first:])
			payload := data[first+second:]
			if err == nil && number != flow {
				err = fmt.Errorf("a datagram of flow %d", number)
			}
			if err == nil {
				err = right(payload, int(offset))
			}
			if err != nil {
				done <- err
				return
			}
			received += len(payload)
		}
		done <- nil
	}()
	fields := fmt.Sprintf("range: bytes=0-%d\r\nx-voxel-unreliable: ?1;flow=%d\r\n", datagramBytes-1, flow)
	if _, _, err := request(ctx, session, fields); err != nil {
		return err
	}
	return <-done
}

// Resets a request that is half written, stops reading an answer, and asks for something else.
func reset(ctx context.Context, session *webtransport.Session) error {
	half, err := session.OpenStreamSync(ctx)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(half, "GET /med"); err != nil {
		return err
	}
	half.CancelWrite(5)
	half.CancelRead(5)
	stopped, err := session.OpenStreamSync(ctx)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(stopped, "GET %s HTTP/1.1\r\nhost: interop\r\n\r\n", target); err != nil {
		return err
	}
	if _, err := io.ReadFull(stopped, make([]byte, 1000)); err != nil {
		return err
	}
	stopped.CancelRead(6)
	return reliable(ctx, session, 10)
}

func again(ctx context.Context, url, hash string) error {
	for count := range sessions {
		session, err := dial(ctx, url, hash)
		if err == nil {
			err = reliable(ctx, session, 10)
		}
		if err == nil {
			err = session.CloseWithError(0, "")
		}
		if err != nil {
			return fmt.Errorf("session %d of %d: %w", count+1, sessions, err)
		}
	}
	return nil
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	url, hash := os.Args[1], os.Args[2]
	result := map[string]string{}
	note := func(step string, err error) bool {
		result[step] = ""
		if err != nil {
			result[step] = err.Error()
		}
		return err == nil
	}
	session, err := dial(ctx, url, hash)
	if note("session", err) {
		note("streams", reliable(ctx, session, streamBytes))
		note("datagrams", datagrams(ctx, session))
		note("reset", reset(ctx, session))
		note("close", session.CloseWithError(4711, "interop"))
		note("again", again(ctx, url, hash))
	}
	json.NewEncoder(os.Stdout).Encode(result)
}
