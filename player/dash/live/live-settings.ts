import type { DashPlayer } from '../dash-types.js';

/** What of dash.js' settings is changed or looked at. */
interface LiveDashSettings {
  readonly streaming: {
    readonly buffer: { readonly lowLatencyStallThreshold: number };
    /** Null: where the presentation asks for it. */
    readonly liveCatchup: { readonly enabled: boolean | null };
  };
}

/** Seconds: with dash.js' own 0.3 a buffer of a third of a second counts as empty all the time, and catch-up is off. */
const STALL_THRESHOLD = 0.05;

/** Sets what live streams with little latency need; the function returned puts back what was there. */
export function applyLiveSettings(player: DashPlayer): () => void {
  const { lowLatencyStallThreshold } = (player.getSettings() as LiveDashSettings).streaming.buffer;
  const set = (value: number): void =>
    player.updateSettings({ streaming: { buffer: { lowLatencyStallThreshold: value } } });
  set(Math.min(STALL_THRESHOLD, lowLatencyStallThreshold));
  return () => set(lowLatencyStallThreshold);
}

/** False: the page wants no catching up with the live edge. */
export function catchesUp(player: DashPlayer): boolean {
  return (player.getSettings() as LiveDashSettings).streaming.liveCatchup.enabled !== false;
}
