// @ts-check
/** @param {string} html of a page's text @returns {{ tag: string, id: string, text: string }[]} its second and third headings */
export function outlineOf(html) {
  return [...html.matchAll(/<(h[23]) id="([^"]*)">(.*?)<a class="anchor"/gs)].map(
    ([, tag = '', id = '', title = '']) => ({
      ...{ tag, id },
      text: title
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&'),
    }),
  );
}
