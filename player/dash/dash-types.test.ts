import type { MediaPlayerClass } from 'dashjs';
import { expectTypeOf, it } from 'vitest';
import type { DashPlayer } from './dash-types.js';

it("takes dash.js' player as its own type declarations describe it", () => {
  expectTypeOf<MediaPlayerClass>().toExtend<DashPlayer>();
});
