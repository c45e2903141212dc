import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface HttpRelay {
  readonly url: string;
  /** What has been asked for, and when, in seconds. */
  readonly asked: { readonly path: string; readonly range: string | undefined; readonly time: number }[];
  /** Bodies of what was posted, with its path. */
  readonly posted: { readonly path: string; readonly body: string }[];
  /** What is answered with 503 from now on. */
  fails: (path: string, range: string | undefined) => boolean;
  close(): void;
}

/** Hands requests on to the server at `target`, a URL, and counts them. */
export async function startHttpRelay(target: string): Promise<HttpRelay> {
  const { hostname, port } = new URL(target);
  const posted: { path: string; body: string }[] = [];
  const asked: { path: string; range: string | undefined; time: number }[] = [];
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url!;
    asked.push({ path, range: incoming.headers.range, time: performance.now() / 1000 });
    if (incoming.method === 'POST') void text(incoming).then((body) => posted.push({ path, body }));
    if (relay.fails(path, incoming.headers.range)) {
      outgoing.writeHead(503, { 'cache-control': 'no-store' }).end();
      return;
    }
    const { method, headers } = incoming;
    const onward = request({ hostname, port, path, method, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    onward.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const relay: HttpRelay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    posted,
    fails: () => false,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return relay;
}
