// Command plain-webtransport is what voxel-quiche is measured beside (`npm run bench -- server-peers`): the least server on another WebTransport
// stack that answers voxel-probe. Whatever a request asks for, the answer is FILE, on the stream or as datagrams, of any number of
// sessions. It has no range, deadline, order, parity or repair.
//
//	plain-webtransport FILE        prints {"endpoint": …, "certificateHashes": […]} once it answers
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"time"

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

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "plain-webtransport:", err)
		os.Exit(1)
	}
}

func run(words []string) error {
	if len(words) != 1 {
		return errors.New("usage: plain-webtransport FILE")
	}
	body, err := os.ReadFile(words[0])
	if err != nil {
		return err
	}
	certificate, err := selfMadeCertificate()
	if err != nil {
		return err
	}
	socket, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
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
			fmt.Fprintln(os.Stderr, "plain-webtransport:", err)
			return
		}
		serve(session, body)
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

func serve(session *webtransport.Session, body []byte) {
	for {
		stream, err := session.AcceptStream(session.Context())
		if err != nil {
			return
		}
		go func() {
			if err := answer(session, stream, body); err != nil {
				fmt.Fprintln(os.Stderr, "plain-webtransport:", err)
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

func selfMadeCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(24 * time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
