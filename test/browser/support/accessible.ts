import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Of WCAG 2.2, levels A and AA, and what is held to be good practice beside it. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe-core finds on a page as it is now, contrast included: a line for each rule, with the first element. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async (rules) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document, { runOnly: rules });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${String(nodes[0]?.target)} of ${nodes.length}`);
  }, RULES);
}
