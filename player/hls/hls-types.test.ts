import type Hls from 'hls.js';
import type Hls15 from 'hls.js-1.5';
import type Hls16 from 'hls.js-1.6';
import type { Fragment, HlsConfig as Config, Level, ManifestParsedData } from 'hls.js';
import { expectTypeOf, it } from 'vitest';
import type { HlsConfig, HlsFragment, HlsLevel, HlsPlayer, Loader, ManifestParsed } from './hls-types.js';

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
