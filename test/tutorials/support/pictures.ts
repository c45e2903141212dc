import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { root } from '../../../tools/setup/paths.mjs';

/** `npm run screenshots` sets it; pictures of video differ from run to run, so nothing compares them. */
const isWanted = process.env.VOXEL_SCREENSHOTS === 'write';

/** What readers load with the document. */
const MOST_BYTES = 200_000;

/** Writes the page to a file of the repository, where pictures are wanted. */
export async function keepScreenshot(page: Page, file: `${string}.webp`): Promise<void> {
  if (!isWanted) return;
  const path = join(root, file) as `${string}.webp`;
  await page.screenshot({ path, type: 'webp', quality: 80 });
  const { size } = statSync(path);
  if (size > MOST_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MOST_BYTES}`);
}

/** The same for a picture that a program has drawn. */
export async function keepPicture(browser: Browser, png: string, file: `${string}.webp`): Promise<void> {
  const page = await browser.newPage();
  await page.setContent(`<body style="margin:0"><img src="data:image/png;base64,${readFileSync(png, 'base64')}">`);
  const { width, height } = await page.$eval('img', ({ naturalWidth, naturalHeight }) => ({
    width: naturalWidth,
    height: naturalHeight,
  }));
  await page.setViewport({ width, height });
  await keepScreenshot(page, file);
  await page.close();
}
