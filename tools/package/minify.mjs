// @ts-check
import { transform } from 'esbuild';
import { minify as terser } from 'terser';

/** A script, and its source map where one was asked for. @typedef {{ code: string, map?: string }} Script */

/**
 * Smaller than either alone: esbuild gives private members short names, terser folds what is left.
 * @param {Script} script an ES module, or whatever may be read as one @returns {Promise<Script>}
 */
export async function minify({ code, map }) {
  const source = map === undefined ? code : `${code}\n${inlineMap(map)}`;
  const short = await transform(source, {
    minify: true,
    target: 'es2022',
    legalComments: 'none',
    sourcemap: map !== undefined && 'external',
  });
  const folded = await terser(short.code, {
    module: true,
    compress: { ecma: 2020, passes: 3, unsafe_arrows: true, pure_getters: true, keep_fargs: false },
    format: { ecma: 2020 },
    ...(map !== undefined && { sourceMap: { content: short.map, includeSources: true } }),
  });
  return { code: folded.code ?? '', map: typeof folded.map === 'string' ? folded.map : undefined };
}

/** @param {string} map */
const inlineMap = (map) =>
  `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map, 'utf8').toString('base64')}`;
