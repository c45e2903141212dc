import type { Page, Protocol } from 'puppeteer-core';
import type { PageFiles } from '../page-bundle.js';

/** Where nothing is served: what the page asks for there is answered by this process. */
const FOLDER = '/trial/';

/**
 * Chromium's flag for such a page: as this process answers, Chromium cannot know that it is as near as the media's private address, and refuses
 * plain HTTP, and sessions even to the page's own host.
 */
export const FROM_ANYWHERE = '--disable-features=LocalNetworkAccessChecks';

/**
 * Answers the requests for the page itself, so that the link carries the player's traffic only and its trace begins with
 * the manifest. Returns the page's address.
 */
export async function servePageFromHere(page: Page, origin: string, files: PageFiles): Promise<string> {
  const answers: Readonly<Record<string, readonly [type: string, body: string]>> = {
    '': ['text/html', files.html],
    'dash.js': ['text/javascript', files.dashjs],
    'page.js': ['text/javascript', files.script],
  };
  const address = `${origin}${FOLDER}`;
  const session = await page.createCDPSession();
  await session.send('Fetch.enable', { patterns: [{ urlPattern: `${address}*` }] });
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const answer = answers[request.url.slice(address.length)];
    const response: Protocol.Fetch.FulfillRequestRequest = answer
      ? {
          requestId,
          responseCode: 200,
          responseHeaders: [{ name: 'content-type', value: `${answer[0]}; charset=utf-8` }],
          body: Buffer.from(answer[1]).toString('base64'),
        }
      : { requestId, responseCode: 404 };
    // A page that is gone needs no answer.
    session.send('Fetch.fulfillRequest', response).catch(() => undefined);
  });
  return address;
}
