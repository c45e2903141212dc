// @ts-check
import { UserError } from '../setup/process.mjs';
import { launchChrome } from '../start/headless.mjs';

/** ms; the page is over after three times its video, whatever happens. */
const PATIENCE = 300_000;
/** ms until the page has been set up, on a busy machine. */
const START_PATIENCE = 60_000;

/**
 * Plays the page to its end and returns its report.
 * @param {{ chrome: string, url: string, width: number, screenshot: string | undefined, record: boolean,
 *   onProgress: (elapsed: number) => void }} settings
 * @returns {Promise<import('../../demo/compare/voxel-compare.js').CompareReport>}
 */
export async function compareHeadless({ chrome, url, width, screenshot, record, onProgress }) {
  const browser = await launchChrome(chrome);
  try {
    const page = await browser.newPage();
    await page.setViewport({ width, height: 900 });
    await page.goto(url);
    await page.waitForFunction('window.voxelCompare !== undefined', { timeout: START_PATIENCE });
    const deadline = Date.now() + PATIENCE;
    for (let isOver = false; !isOver && Date.now() < deadline;) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      const state = await page.evaluate(() => {
        const { hasEnded, failure } = window.voxelCompare;
        return { isOver: hasEnded, failure, elapsed: window.voxelCompare.report()?.elapsed };
      });
      if (state.failure) throw new UserError(`the page failed: ${state.failure}`, 1);
      if (state.elapsed !== undefined) onProgress(state.elapsed);
      isOver = state.isOver;
    }
    if (screenshot !== undefined) await page.screenshot({ path: screenshot, fullPage: true });
    if (record) await page.evaluate(() => window.voxelCompare.saveRecording());
    const report = await page.evaluate(() => window.voxelCompare.report());
    if (!report) throw new UserError('the comparison did not start', 1);
    return report;
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`headless Chrome failed: ${error instanceof Error ? error.message : String(error)}`, 1);
  } finally {
    await browser.close();
  }
}
