/** Shows the time of day (UTC) to the millisecond, as often as the screen does. */
export function showWallClock(element: HTMLElement): void {
  const show = (): void => {
    // Where it is not shown it costs nothing.
    if (element.offsetParent) element.textContent = new Date().toISOString().slice(11, 23);
    requestAnimationFrame(show);
  };
  show();
}
