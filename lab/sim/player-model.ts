/** What a player in a browser adds to its rule. */
export interface PlayerModel {
  /** Seconds from the link's first packet to the request for the first segment: connection, manifest and index. */
  readonly start: number;
  /**
   * Seconds from a segment's last byte to the request for the next one, where that was not made before: the page hears of it, dash.js appends it
   * and looks every 100 ms whether to ask for more.
   */
  readonly between: number;
  /** The first segment's representation is chosen by bitrates (`firstRateOver`), as the index with the sizes comes after that. */
  readonly beginsUnsized: boolean;
}

/** Asks at once, and knows all sizes from the start. */
export const IDEAL_PLAYER: PlayerModel = { start: 0, between: 0, beginsUnsized: false };

/**
 * Measured in Chromium on two cores that played up to seven sessions at a time: medians over the kept sessions on T-Mobile's and Verizon's
 * links of docs/results/datagrams-streams at 30 ms without losses, two of the links that docs/TRIALS.md calibrates on; the start by eye.
 */
export const BROWSER_PLAYER: PlayerModel = { start: 0.6, between: 0.25, beginsUnsized: true };
