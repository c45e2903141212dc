// @ts-check
// look.mjs URL PATTERN: opens a page in Chromium, in the bare root, and ends with 0 once a line of its log matches.
import { ensureChrome } from '../setup/chrome.mjs';
import { runCommand, UserError } from '../setup/process.mjs';
import { launchChrome } from '../start/headless.mjs';

/** How often a page is loaded: all of a short film may have come before the session was open. */
const LOADS = 6;

await runCommand(async () => {
  const [url = '', shows = ''] = process.argv.slice(2);
  const browser = await launchChrome(await ensureChrome());
  try {
    const page = await browser.newPage();
    for (let loads = 0; loads < LOADS; loads++) {
      await page.goto(url);
      const seen = await page
        .waitForFunction(
          (pattern) => new RegExp(pattern).test(document.querySelector('#log')?.textContent ?? ''),
          { timeout: 15_000 },
          shows,
        )
        .catch(() => undefined);
      if (seen) return 0;
      await page.goto('about:blank');
    }
    throw new UserError(`${url} never shows '${shows}'`, 1);
  } finally {
    await browser.close();
  }
});
