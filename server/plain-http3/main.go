// Command plain-http3 is what the servers are measured beside, on another stack (quic-go): a file server that knows nothing of
// WebTransport, a client that downloads from any HTTP/3 server, and the least WebTransport server.
//
//	plain-http3 serve DIR            prints {"quicPort": …} once it answers
//	plain-http3 get URL COUNT        downloads COUNT times, one after another, and prints {"bytes": …, "seconds": …}
//	plain-http3 webtransport FILE    prints {"endpoint": …, "certificateHashes": […]} once it answers
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// Windows that a download over loopback does not fill: the servers are to be measured, not the client.
const receiveWindow = 16 << 20

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "plain-http3:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "serve":
		return serve(args[1])
	case len(args) == 2 && args[0] == "webtransport":
		return serveSessions(args[1])
	case len(args) == 3 && args[0] == "get":
		count, err := strconv.Atoi(args[2])
		if err != nil {
			return fmt.Errorf("not a number: %s", args[2])
		}
		return get(args[1], count)
	}
	return errors.New("serve DIR, get URL COUNT, or webtransport FILE")
}

// A socket of 127.0.0.1 on a free port, and a certificate for it.
func listen() (*net.UDPConn, tls.Certificate, error) {
	certificate, err := selfMadeCertificate()
	if err != nil {
		return nil, certificate, err
	}
	socket, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	return socket, certificate, err
}

func serve(folder string) error {
	socket, certificate, err := listen()
	if err != nil {
		return err
	}
	server := http3.Server{
		Handler:   http.FileServer(http.Dir(folder)),
		TLSConfig: http3.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{certificate}}),
	}
	ready := map[string]any{"event": "ready", "quicPort": socket.LocalAddr().(*net.UDPAddr).Port}
	if err := json.NewEncoder(os.Stdout).Encode(ready); err != nil {
		return err
	}
	return server.Serve(socket)
}

func selfMadeCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

func get(url string, count int) error {
	transport := &http3.Transport{
		// The server is one that this machine has just started.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		QUICConfig: &quic.Config{
			InitialStreamReceiveWindow:     receiveWindow,
			InitialConnectionReceiveWindow: receiveWindow,
			MaxStreamReceiveWindow:         receiveWindow,
			MaxConnectionReceiveWindow:     receiveWindow,
		},
	}
	defer transport.Close()
	client := http.Client{Transport: transport}
	begun, bytes := time.Now(), int64(0)
	for range count {
		response, err := client.Get(url)
		if err != nil {
			return err
		}
		read, err := io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return errors.New(response.Status)
		}
		bytes += read
	}
	seconds := time.Since(begun).Seconds()
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"bytes": bytes, "seconds": seconds})
}
