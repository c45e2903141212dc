//go:build !dialer

package main

import (
	"context"
	"net/url"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/webtransport-go"
)

// Since 0.12. `Transport.Dial` would close the connection before the capsule that closes the session has left.
func dial(ctx context.Context, endpoint, hash string) (*webtransport.Session, error) {
	target, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	config := &quic.Config{EnableDatagrams: true, EnableStreamResetPartialDelivery: true}
	connection, err := quic.DialAddr(ctx, target.Host, accepting(hash), config)
	if err != nil {
		return nil, err
	}
	transport := webtransport.Transport{ApplicationProtocols: []string{"voxel-1"}}
	client, err := transport.NewClientConn(connection)
	if err != nil {
		return nil, err
	}
	_, session, err := client.Dial(ctx, endpoint, nil)
	return session, err
}
