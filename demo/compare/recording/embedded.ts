/** Of a message to the page around this one: the height that shows all of it, CSS pixels. */
export interface HeightMessage {
  readonly voxelCompareHeight: number;
}

/**
 * A recording in a frame of another page: that page hears how high the frame must be, so that nothing is cut off or scrolls by itself, and `start` is
 * called once `screens` can be seen, unless the viewer wants less motion or less data.
 */
export function showEmbedded(screens: HTMLElement, start: () => void): void {
  document.body.classList.add('embedded');
  const say = (): void => {
    const message: HeightMessage = { voxelCompareHeight: Math.ceil(document.body.getBoundingClientRect().height) };
    parent.postMessage(message, '*');
  };
  new ResizeObserver(say).observe(document.body);
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } };
  if (connection?.saveData || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      start();
    },
    { threshold: 0.3 },
  );
  observer.observe(screens);
}
