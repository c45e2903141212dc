import assert from 'node:assert/strict';
import { DashPresentation } from '../../../../player/dash/presentation.js';
import type { DashRepresentation } from '../../../../player/dash/dash-types.js';
import { ManifestError } from '../../../../src/manifest/errors.js';
import { checkMap } from '../support/check-map.js';
import { allow } from '../support/errors.js';
import { target } from '../support/target.js';

type Element = Record<string, unknown>;

/** Elements by the letter that starts their line, each with the one that it stands in. */
const ELEMENTS = {
  P: { name: 'Period', parent: 'M' },
  A: { name: 'AdaptationSet', parent: 'P' },
  R: { name: 'Representation', parent: 'A' },
  U: { name: 'SegmentURL', parent: 'R' },
  S: { name: 'SupplementalProperty', parent: 'R' },
} as const;

/** A manifest as dash.js hands it over: the elements that VOXEL reads, whatever their attributes are. */
export const fuzz = target((bytes) => {
  const manifest = build(new TextDecoder().decode(bytes));
  const presentation = new DashPresentation(manifest, 'https://page.example/watch');
  assert.ok(presentation.errors.every((error) => error instanceof ManifestError));
  for (const [period, { AdaptationSet = [] }] of (manifest.Period as { AdaptationSet?: Element[] }[]).entries()) {
    for (const { Representation = [] } of AdaptationSet as { Representation?: Element[] }[]) {
      for (const { id } of Representation) {
        const key = { id: String(id), adaptation: { period: { index: period } } } as unknown as DashRepresentation;
        const map = allow([ManifestError], () => presentation.representation(key)?.segment(0));
        if (map) checkMap(map, bytes.length);
      }
    }
  }
});

/** `P`, `A`, `R`, `U`, `S`: an element; `B text`: a BaseURL; `name=value`: an attribute of the element before. */
function build(text: string): Element {
  const manifest: Element = { url: 'https://media.example/v/manifest.mpd', Period: [] };
  const open: Record<string, Element> = { M: manifest };
  let last = manifest;
  for (const line of text.split('\n')) {
    const kind = ELEMENTS[line as keyof typeof ELEMENTS] as (typeof ELEMENTS)['P' | 'U'] | undefined;
    const [name, ...value] = line.split('=');
    if (line.startsWith('B ')) last.BaseURL ??= [line.slice(2)];
    else if (kind && Object.hasOwn(ELEMENTS, line)) last = append(open, line, kind);
    else if (value.length > 0 && last !== manifest && !/^[A-Z_]/.test(name!)) last[name!] = value.join('=');
  }
  return manifest;
}

function append(
  open: Record<string, Element>,
  letter: string,
  { name, parent }: { name: string; parent: string },
): Element {
  const child: Element = {};
  const inside = (open[parent] ??= {});
  const holder = letter === 'U' ? ((inside.SegmentList ??= {}) as Element) : inside;
  ((holder[name] ??= []) as Element[]).push(child);
  open[letter] = child;
  return child;
}
