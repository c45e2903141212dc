#!/bin/bash
# A page whose document an automation tool answered opens no WebTransport session to its own host where that is this computer.
#
# Guess: what counts is the page's address. A page at http://127.0.0.1 whose document was fulfilled over the DevTools protocol (`Fetch`, request
# interception), as tests and laboratories do to keep it off the measured link, is as near to 127.0.0.1 as one that a server there sent.
# Seen (Chrome 156, puppeteer-core 24.43.1): Chromium does not know where such a document came from and takes it for one from the internet, so that
# Local Network Access forbids the session: `Opening handshake failed`, and not one packet leaves. `fetch` of the same origin goes through, so
# media come over HTTP and the session alone is missing, without a word of why. `--disable-features=LocalNetworkAccessChecks` lets it through.
# Matters to whoever tests a player over WebTransport with puppeteer, Playwright or the DevTools protocol.
. "$(dirname "$0")/support/setup.sh"
need_chromium
npm_packages puppeteer-core@24.43.1

cat > finding.mjs <<'JS'
import { createSocket } from 'node:dgram';
import { holds, withPage } from './browser.mjs';

const PATIENCE = 3000;

/** Whether a packet comes when the page opens a session, and what its `fetch` of the page's origin brings. */
async function seen(page) {
  const socket = createSocket('udp4');
  const packet = new Promise((resolve) => socket.on('message', () => resolve(true)));
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const status = await page.evaluate(async (port) => {
    const hash = { algorithm: 'sha-256', value: new Uint8Array(32) };
    const session = new WebTransport(`https://127.0.0.1:${port}/`, { serverCertificateHashes: [hash] });
    for (const end of [session.ready, session.closed]) end.catch(() => undefined);
    return (await fetch('/media')).status;
  }, socket.address().port);
  const isSent = await Promise.race([packet, new Promise((resolve) => setTimeout(resolve, PATIENCE, false))]);
  socket.close();
  return { isSent, status };
}

await withPage('', (_, response) => response.end('media'), async (page, version) => {
  console.log(version);
  holds('the server sent the document', await seen(page), { isSent: true, status: 200 });
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (request.isNavigationRequest()) void request.respond({ contentType: 'text/html', body: '<!doctype html>' });
    else void request.continue();
  });
  await page.reload();
  holds('the document was fulfilled by interception', await seen(page), { isSent: false, status: 200 });
});
JS
node finding.mjs
