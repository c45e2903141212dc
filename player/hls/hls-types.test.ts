import type Hls from 'hls.js';
import type Hls15 from 'hls.js-1.5';
import type Hls16 from 'hls.js-1.6';
import type { Fragment, HlsConfig as Config, Level, ManifestParsedData } from 'hls.js';
import { expect, expectTypeOf, it } from 'vitest';
import {
  takesPieces,
  type HlsConfig,
  type HlsFragment,
  type HlsLevel,
  type HlsPlayer,
  type Loader,
  type ManifestParsed,
} from './hls-types.js';

it('what the plugin uses of hls.js is there in every version, in its own types', () => {
  expectTypeOf<Hls>().toExtend<HlsPlayer>();
  expectTypeOf<Hls16>().toExtend<HlsPlayer>();
  expectTypeOf<Hls15>().toExtend<HlsPlayer>();
  expectTypeOf<Level>().toExtend<HlsLevel>();
  expectTypeOf<Fragment>().toExtend<HlsFragment>();
  expectTypeOf<ManifestParsedData>().toExtend<ManifestParsed>();
  expectTypeOf<InstanceType<Config['loader']>>().toExtend<Pick<Loader, 'stats' | 'abort' | 'destroy'>>();
  expectTypeOf<Config>().toExtend<Pick<HlsConfig, 'testBandwidth' | 'maxBufferLength' | 'maxMaxBufferLength'>>();
});

it.each([
  ['1.5.20', true, false],
  ['1.6.19', true, false],
  ['1.7.0', true, false],
  ['1.7.3', true, false],
  ['1.7.4', true, true],
  ['1.7.5-0.canary.1', true, true],
  ['1.7.4', false, false],
  ['1.10.0', true, true],
  ['2.0.0', true, true],
])(
  'hls.js %s takes pieces where it is progressive (%s) and puts them at their times: %s',
  (version, progressive, takes) => {
    class Player {
      static readonly version = version;
      readonly config = { progressive };
    }
    expect(takesPieces(new Player())).toBe(takes);
  },
);
