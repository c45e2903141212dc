/**
 * Runs in the page: texts whose contrast with what is behind them is less than 4.5 to 1, 3 to 1 for large ones (WCAG 2.2, 1.4.3).
 * Behind a text is the nearest background that is not transparent.
 */
export function lowContrasts(): string[] {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
  const luminance = (color: string): number => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((byte) => {
      const share = byte / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
  };
  const backgroundOf = (element: Element | null): string => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (!/^rgba\(.*, 0\)$|\/ 0\)$|^transparent$/.test(backgroundColor)) return backgroundColor;
    }
    return 'white';
  };
  const found = new Set<string>();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement!;
    const text = texts.currentNode.nodeValue!.trim();
    if (text === '' || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const { color, fontSize, fill } = getComputedStyle(element);
    const shown = element instanceof SVGElement ? fill : color;
    const [low, high] = [luminance(shown), luminance(backgroundOf(element))].sort((a, b) => a - b);
    const contrast = (high! + 0.05) / (low! + 0.05);
    if (contrast < (parseFloat(fontSize) >= 24 ? 3 : 4.5))
      found.add(
        `${element.tagName}.${element.getAttribute('class') ?? ''} ${contrast.toFixed(2)}: ${text.slice(0, 40)}`,
      );
  }
  return [...found];
}
