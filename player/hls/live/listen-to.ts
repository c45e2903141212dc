/** Calls each of `listeners`, by the event's type, for an element's events; the function returned ends that. */
export function listenTo(
  element: HTMLMediaElement | null,
  listeners: Readonly<Record<string, () => void>>,
): () => void {
  const heard = new AbortController();
  for (const [type, listener] of Object.entries(listeners))
    element?.addEventListener(type, listener, { signal: heard.signal });
  return () => heard.abort();
}
