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

const CONTROLS =
  'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex]:not([tabindex^="-"])';

/** The most stops of the Tab key on a page. */
const MOST_STOPS = 200;

/** What a viewer without a mouse cannot do on a page as it is now: a line for each control that the Tab key does not reach, or that shows no ring there. */
export async function keyboardBarriers(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    window.getSelection()?.removeAllRanges();
  });
  const stops = await page.evaluateHandle(() => new Map<Element, boolean>());
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const isOver = await stops.evaluate((seen) => {
      const element = document.activeElement;
      // A player's own controls are all one element's.
      if (!element || element === document.body || (seen.size > 1 && element === [...seen.keys()][0])) return true;
      const { outlineStyle, boxShadow } = getComputedStyle(element);
      // The browser's own controls within a video have rings of their own.
      const isRinged = outlineStyle !== 'none' || boxShadow !== 'none' || element instanceof HTMLVideoElement;
      seen.set(element, isRinged);
      return false;
    });
    if (isOver) break;
  }
  return stops.evaluate((seen, controls) => {
    const nameOf = (element: Element) =>
      `${element.localName}${element.id && `#${element.id}`} ${(element.getAttribute('aria-label') ?? element.textContent).trim().slice(0, 40)}`;
    const isReached = (element: Element) =>
      seen.has(element) ||
      // The arrow keys go on from one of a group.
      (element instanceof HTMLInputElement &&
        element.type === 'radio' &&
        [...seen.keys()].some((one) => one instanceof HTMLInputElement && one.name === element.name));
    const all = [...document.querySelectorAll(controls)].filter((element) => element.checkVisibility());
    return [
      ...all.filter((element) => !isReached(element)).map((element) => `not reached: ${nameOf(element)}`),
      ...[...seen].flatMap(([element, hasRing]) => (hasRing ? [] : [`no ring: ${nameOf(element)}`])),
    ];
  }, CONTROLS);
}
