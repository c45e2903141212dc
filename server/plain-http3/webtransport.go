package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/quic-go/quicvarint"
	"github.com/quic-go/webtransport-go"
)

// Bytes of a datagram: quic-go takes no more before it has found that the path carries larger packets.
const payloadBytes = 1180

// Longest request.
const headBytes = 4096

var flow = regexp.MustCompile(`x-voxel-unreliable: \?1;flow=(\d+)`)

// The least server on webtransport-go that answers voxel-probe, to measure voxel-quiche beside (`npm run bench -- server-peers`). Whatever a
// request asks for, the answer is the file, on the stream or as datagrams. It has no range, deadline, order, parity or repair.
func serveSessions(file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	socket, certificate, err := listen()
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	server := webtransport.Server{
		H3: &http3.Server{
			Handler:         mux,
			TLSConfig:       http3.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{certificate}}),
			QUICConfig:      &quic.Config{EnableDatagrams: true, EnableStreamResetPartialDelivery: true},
			EnableDatagrams: true,
		},
		CheckOrigin: func(*http.Request) bool { return true },
	}
	webtransport.ConfigureHTTP3Server(server.H3)
	mux.HandleFunc("/voxel", func(response http.ResponseWriter, request *http.Request) {
		session, err := server.Upgrade(response, request)
		if err != nil {
			fmt.Fprintln(os.Stderr, "plain-http3:", err)
			return
		}
		answerAll(session, body)
	})
	hash := sha256.Sum256(certificate.Certificate[0])
	ready := map[string]any{
		"endpoint":          fmt.Sprintf("https://127.0.0.1:%d/voxel", socket.LocalAddr().(*net.UDPAddr).Port),
		"certificateHashes": []string{base64.StdEncoding.EncodeToString(hash[:])},
	}
	if err := json.NewEncoder(os.Stdout).Encode(ready); err != nil {
		return err
	}
	return server.Serve(socket)
}

func answerAll(session *webtransport.Session, body []byte) {
	for {
		stream, err := session.AcceptStream(session.Context())
		if err != nil {
			return
		}
		go func() {
			if err := answer(session, stream, body); err != nil {
				fmt.Fprintln(os.Stderr, "plain-http3:", err)
			}
		}()
	}
}

func answer(session *webtransport.Session, stream *webtransport.Stream, body []byte) error {
	defer stream.Close()
	head, err := io.ReadAll(io.LimitReader(stream, headBytes))
	if err != nil {
		return err
	}
	asked := flow.FindSubmatch(head)
	if asked == nil {
		if _, err := fmt.Fprintf(stream, "HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n", len(body)); err != nil {
			return err
		}
		_, err := io.Copy(stream, bytes.NewReader(body))
		return err
	}
	number, err := strconv.ParseUint(string(asked[1]), 10, 62)
	if err != nil {
		return err
	}
	for offset := 0; offset < len(body); offset += payloadBytes {
		datagram := quicvarint.Append(quicvarint.Append(nil, number), uint64(offset))
		datagram = append(datagram, body[offset:min(offset+payloadBytes, len(body))]...)
		if err := session.SendDatagram(datagram); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(stream, "HTTP/1.1 200 OK\r\n\r\n0\r\nx-voxel-sent: %d\r\n\r\n", len(body))
	return err
}
