import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import { startServer } from '../../../tools/start/server.mjs';
import { PAGE } from './player-page.js';

/** What a client shows: any of it is enough. */
const GOOD = {
  cookie: 'session=good',
  authorization: 'Bearer good',
  query: 'token=good',
  /** In the endpoint's URL, which the front gives those who ask with a cookie that says so. */
  session: '/voxel?token=short',
};

/** One request for a file, and whether it was let through. */
export interface Asked {
  readonly uri: string;
  readonly way: 'front' | 'server';
  readonly isAllowed: boolean;
}

/**
 * A site that lets nobody see its media, nor `voxel.json`, without a credential: an HTTP front, which says who may read, and voxel-serve behind
 * it and beside it, which asks the front. `url` and `otherUrl` are two origins of one site.
 */
export async function serveProtectedSite(folder: string, media: string) {
  const asked: Asked[] = [];
  const isAllowed = (uri: string, headers: IncomingMessage['headers'], way: Asked['way']): boolean => {
    const isGood =
      (headers.cookie ?? '').includes(GOOD.cookie) ||
      headers.authorization === GOOD.authorization ||
      new URL(uri, 'http://a').search.includes(GOOD.query) ||
      headers['x-voxel-session'] === GOOD.session;
    const isOpen = !/^\/(media|\.well-known)\//.test(uri);
    if (!isOpen) asked.push({ uri, way, isAllowed: isGood });
    return isOpen || isGood;
  };
  const behind = { port: 0 };
  const handle = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { url = '/', headers, method } = incoming;
    if (url === '/auth') {
      const mayRead = isAllowed(String(headers['x-original-uri']), headers, 'server');
      return void response.writeHead(mayRead ? 204 : 401).end();
    }
    // Preflight requests carry no credentials.
    if (method !== 'OPTIONS' && !isAllowed(url, headers, 'front')) return void response.writeHead(401).end();
    pass(incoming, response, behind.port);
  };
  const fronts = await Promise.all([listen(createServer(handle)), listen(createServer(handle))]);
  const [url, otherUrl] = fronts.map((front) => urlOf(front)) as [string, string];
  const page = mkdtempSync(join(folder, 'page-'));
  writeFileSync(join(page, 'index.html'), PAGE);
  writeFileSync(join(page, 'hls.html'), '<!doctype html><title>player</title>');
  const mounts = {
    '/dist': join(root, 'dist'),
    '/dashjs': join(root, 'node_modules/dashjs/dist/modern/umd'),
    '/hls.js': join(root, 'node_modules/hls.js/dist'),
    '/media': media,
  };
  const words = Object.entries(mounts).flatMap(([path, target]) => ['--mount', `${path}=${target}`]);
  const asks = ['--authorize', `${url}/auth`];
  const server = await startServer([page, ...words, '--http-port', '0', '--quic-port', '0', ...asks]);
  behind.port = Number(new URL(server.ready.url).port);
  return {
    url,
    otherUrl,
    asked,
    ready: server.ready,
    async stop() {
      for (const front of fronts) front.close().closeAllConnections();
      await server.stop();
    },
  };
}

/** The manifest with the query of its own address for every segment (ISO/IEC 23009-1, Annex I). */
export function writeManifestOfAnnexI(media: string): void {
  const manifest = readFileSync(join(media, 'manifest.mpd'), 'utf8');
  const property = `<EssentialProperty schemeIdUri="urn:mpeg:dash:urlparam:2014">
    <up:UrlQueryInfo xmlns:up="urn:mpeg:dash:schema:urlparam:2014" queryTemplate="$querypart$" useMPDUrlQuery="true"/>
  </EssentialProperty>`;
  writeFileSync(join(media, 'annex-i.mpd'), manifest.replace(/(?=<\/MPD>)/, property));
}

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const urlOf = (server: Server): string => `http://localhost:${(server.address() as AddressInfo).port}`;

/** Passes a request on to the server, and its answer back. */
function pass({ url = '/', method, headers }: IncomingMessage, response: ServerResponse, port: number): void {
  const passed = request({ host: '127.0.0.1', port, path: url, method, headers }, (answer) => {
    if (!url.startsWith('/.well-known/voxel.json') || !(headers.cookie ?? '').includes('handout=1')) {
      response.writeHead(answer.statusCode!, answer.headers);
      return void answer.pipe(response);
    }
    const parts: Buffer[] = [];
    answer.on('data', (part: Buffer) => parts.push(part));
    answer.on('end', () => {
      const found = JSON.parse(Buffer.concat(parts).toString()) as { endpoint: string };
      const text = JSON.stringify({ ...found, endpoint: `${found.endpoint}?token=short` });
      response.writeHead(200, { ...answer.headers, 'content-length': text.length }).end(text);
    });
  });
  passed.on('error', () => response.destroy());
  response.on('close', () => passed.destroy());
  passed.end();
}
