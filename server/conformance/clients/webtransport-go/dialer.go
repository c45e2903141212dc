//go:build dialer

package main

import (
	"context"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/webtransport-go"
)

// Up to 0.11.
func dial(ctx context.Context, url, hash string) (*webtransport.Session, error) {
	dialer := webtransport.Dialer{
		TLSClientConfig:      accepting(hash),
		ApplicationProtocols: []string{"voxel-1"},
		QUICConfig:           &quic.Config{EnableDatagrams: true, EnableStreamResetPartialDelivery: true},
	}
	_, session, err := dialer.Dial(ctx, url, nil)
	return session, err
}
