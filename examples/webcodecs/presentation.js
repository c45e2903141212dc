/** The initialization segment of the presentation's smallest video of at least `height` lines, and addresses of its segments. */
export async function openPresentation(manifest, height) {
  const text = await (await get(manifest)).text();
  const document = new DOMParser().parseFromString(text, 'application/xml');
  const all = [...document.querySelectorAll('Representation[height]')];
  const representation = all.find((each) => Number(each.getAttribute('height')) >= height) ?? all.at(-1);
  const url = new URL(representation.querySelector('BaseURL').textContent, manifest);
  const { attributes } = representation.querySelector('Initialization');
  return {
    init: await getRange(url, attributes.range.value),
    segments: [...representation.querySelectorAll('SegmentURL')].map((segment) => () => {
      return getRange(url, segment.getAttribute('mediaRange'));
    }),
  };
}

/** The bytes of a file's range, `first-last`. */
async function getRange(url, range) {
  const response = await get(url, { headers: { range: `bytes=${range}` } });
  return new Uint8Array(await response.arrayBuffer());
}

async function get(url, options) {
  const response = await fetch(url, options);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response;
}
