import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../tools/setup/paths.mjs';
import { parseConfig } from '../config.js';
import { calibrationTable } from '../report/calibration.js';
import type { TrialResult } from '../result.js';
import { matrixBlock } from './blocks.js';
import { lessStalls, type Claim } from './claim.js';
import { claimsTable, CLAIMS, claimsText, PAPERS } from './claims.js';
import { differences, filled, textOf, wrapped } from './documents.js';
import { expectedDocuments } from './expected.js';
import { matrixOf, type Matrix } from './kept.js';
import { rivals } from './rivals.js';
import { tailsBlock } from './tails.js';

describe('the published documents', () => {
  it('are what the kept sessions give: else `npm run evidence`', async () => {
    for (const { path, text } of await expectedDocuments()) {
      expect(differences(textOf(path), text), path).toEqual([]);
    }
  }, 300_000);

  it('name commands and configurations that exist', () => {
    const configs = CLAIMS.map(({ command }) => command).filter((command) => !command.startsWith('npm'));
    const planned = new Set(['results-small']);
    const missing = configs.filter((name) => !existsSync(join(root, 'lab/trials/configs', `${name}.json`)));
    expect(missing.filter((name) => !planned.has(name))).toEqual([]);
  });
});

function session(changes: Partial<TrialResult>): TrialResult {
  const plain = {
    ...{ id: 'a_00000000', video: 'sample', trace: 'constant:5', path: '30 ms', server: 'aioquic', control: 'cubic' },
    ...{ crossTraffic: 'none', buffer: 1, shift: 0, repetition: 0, attempt: 1, valid: true, notes: [], scores: [] },
    ...{ system: 'voxel', label: 'VOXEL', bufRatio: 0, score: 0.9, startup: 1, stallSeconds: 0, bitrate: 1e6 },
    mos: { excellent: 0, good: 1, fair: 0, poor: 0, bad: 0 },
    ...{ bytesDelivered: 1, bytesSkipped: 0, bytesLost: 0, bytesRecovered: 0, segmentsWithDrops: 0 },
    ...{ date: '2026-01-01T00:00:00Z', versions: { commit: 'abc' } },
  };
  return { ...(plain as unknown as TrialResult), ...changes };
}

const CONFIG = parseConfig(
  JSON.stringify({ title: 'T', systems: ['bola', 'voxel'], traces: ['constant:5'], buffers: [1], shifts: 10 }),
  'x.json',
);

const matrixWith = (attempts: TrialResult[]): Matrix =>
  matrixOf({ name: 'x', folder: 'docs/results/x', config: CONFIG, attempts });

describe('a kept matrix', () => {
  it('has the latest session of a trial that counts, in the order of the configuration', () => {
    const { sessions, invalid, planned } = matrixWith([
      session({ score: 0.8, date: '2026-01-02T00:00:00Z', id: 'a_11111111' }),
      session({ score: 0.7 }),
      session({ score: 0.1, valid: false, date: '2026-01-03T00:00:00Z' }),
      session({ id: 'b_00000000', system: 'bola', score: 0.6 }),
    ]);
    expect(sessions.map(({ score }) => score)).toEqual([0.6, 0.8]);
    expect([invalid, planned]).toEqual([1, 20]);
  });

  it('has a table with its commit, and none where nothing was measured', () => {
    expect(matrixBlock('x', matrixWith([session({})]))).toMatch(/1 of 20 trials.*; commit abc; 2026-01-01\./);
    expect(matrixBlock('x', undefined)).toContain('Not yet measured.');
  });
});

describe('the calibration', () => {
  it('sets the means of a system beside the simulator’s and says which is outside its margin', () => {
    const sessions = [
      session({ id: 'a', bufRatio: 0.03, score: 0.9 }),
      session({ id: 'b', bufRatio: 0.01, score: 0.92, trace: 'constant:2' }),
      session({ id: 'c', bufRatio: 0.5, valid: false }),
      session({ id: 'd', bufRatio: 0.5 }),
    ];
    const simulated = ['a', 'b', 'c'].map((id) => ({ id, commit: 'def', bufRatio: 0, score: 0.915, bitrate: 2e6 }));
    const [row] = calibrationTable([{ name: 'm', sessions, simulated }])
      .split('\n')
      .slice(-1);
    const cells = row!.split('|').map((cell) => cell.trim());
    const means = ['2.00 / 0.00', '0.9100 / 0.9150', '1.00 / 2.00'];
    expect(cells.slice(1, -1)).toEqual(['m', 'VOXEL', '2', '2', ...means, '2.00', '0.0100', 'not bufRatio', 'def']);
  });
});

describe('the tails', () => {
  // 25 seconds: a wait of one is no long one, a wait of two is.
  const played = { bytesDelivered: 25, bitrate: 8 };

  it('have a line for each system, whatever its conditions, and no mean of scores in several metrics', () => {
    const sessions = [0, 1].map((stallSeconds) =>
      session({ id: `s${stallSeconds}`, path: `p${stallSeconds}`, stalls: stallSeconds, stallSeconds, ...played }),
    );
    const block = tailsBlock([matrixWith(sessions)])
      .split('\n')
      .at(-1)!;
    expect(block).toBe('| [x](results/x/README.md) | 1 | VOXEL | 2 | 1.50 | 50.0 | 2.00 | 0.50 | – | – | 0.9000 |');
    const videos = ['ssim', 'vmaf'].map((metric) => ({ name: metric, file: 'v.mp4', metric }));
    const config = parseConfig(
      JSON.stringify({ title: 'T', systems: ['voxel'], traces: ['constant:5'], buffers: [1], videos }),
      'x.json',
    );
    expect(tailsBlock([{ ...matrixWith(sessions), config }])).toMatch(/\| – \|$/);
    expect(tailsBlock([])).toBe('');
  });
});

describe('the rivals', () => {
  const links = [
    { name: 'steady', traces: ['constant:5'] },
    { name: 'satellite', traces: ['starlink-like:2'], path: { delayMs: 50 } },
  ];
  const fields = { title: 'T', baseline: 'voxel', systems: ['voxel', 'bola'], links, buffers: [1] };
  const config = parseConfig(JSON.stringify(fields), 'x.json');

  it('are compared over all links and on each of them, with the baseline subtracted', () => {
    const at = (path: string, trace: string, bola: number) =>
      ['voxel', 'bola'].map((system) =>
        session({
          ...{ id: `${trace}${system}_00000000`, path, trace, system, label: system.toUpperCase(), qoe: 0.9 },
          stallSeconds: system === 'bola' ? bola : 0,
        }),
      );
    const attempts = [...at('30 ms', 'constant:5', 1), ...at('100 ms', 'starlink-like-02', 3)];
    const text = rivals(matrixOf({ name: 'x', folder: 'docs/results/x', config, attempts }));
    expect(text).toMatch(/\| 1 +\| BOLA +\| 2.00 /);
    expect(text).toMatch(/\| steady +\| 1 +\| 1 +\| 1.00 +\|/);
    expect(text).toMatch(/\| satellite +\| 1 +\| 1 +\| 3.00 +\|/);
  });
});

describe('a document', () => {
  it('has its blocks filled, whatever stood there', () => {
    const text = 'a\n<!-- evidence: one -->\nold\n<!-- end of evidence -->\nb\n';
    const once = filled('d.md', text, () => 'new');
    expect(once).toBe('a\n<!-- evidence: one -->\n\nnew\n\n<!-- end of evidence -->\nb\n');
    expect(filled('d.md', once, () => 'new')).toBe(once);
    expect(() => filled('d.md', text, () => undefined)).toThrow("d.md: no evidence is called 'one'");
  });

  it('has no long line in its blocks but in tables and code', () => {
    const words = 'word '.repeat(40).trim();
    const [first, second] = wrapped(`- ${words}`).split('\n');
    expect(first!.length).toBeLessThanOrEqual(150);
    expect(second).toMatch(/^ {2}word/);
    for (const text of [`| ${words} |`, `\`\`\`sh\n${words}\n\`\`\``]) expect(wrapped(text)).toBe(text);
  });

  it('is compared line by line', () => {
    expect(differences('a\nb\nc\n', 'a\nb\nc\n')).toEqual([]);
    expect(differences('a\nb\nc\n', 'a\nx\nc\nd\n')).toEqual(['2 - b', '3 + x', '4 + d']);
  });
});

describe('a claim', () => {
  const stalls = (system: string, bufRatio: number, count: number) =>
    Array.from({ length: count }, (_, shift) => session({ id: `${system}${shift}_00000000`, system, shift, bufRatio }));
  const claim = (measured: Claim['measured']): Claim => ({
    ...{ figure: '1', claim: 'less', theirs: '−74 %', command: 'x', matrix: 'x', why: 'w', outlook: 'o' },
    ...(measured && { measured }),
  });
  const less = claim((matrix) => lessStalls(matrix, {}, { theirs: 0.74, ours: 'voxel', than: 'bola' }));
  const verdict = (attempts: TrialResult[]) => claimsTable([less], new Map([['x', matrixWith(attempts)]]));

  it('belongs to one paper', () => {
    const all = Object.values(PAPERS).flat();
    expect(all).toHaveLength(CLAIMS.length);
    expect(new Set(all)).toEqual(new Set(CLAIMS));
  });

  it('is printed with its figures, and without what there is nothing to say of', () => {
    const attempts = [...stalls('bola', 0.1, 10), ...stalls('voxel', 0.02, 10)];
    expect(claimsText([less, { ...less, why: '', command: 'npm run y' }], new Map([['x', matrixWith(attempts)]])))
      .toBe(`1: less
  theirs   −74 %
  ours     −80.0 %: 10.00 % → 2.00 % (n = 10)
  verdict  beaten
  why      w
  command  npm run trials -- lab/trials/configs/x.json

1: less
  theirs   −74 %
  ours     −80.0 %: 10.00 % → 2.00 % (n = 10)
  verdict  beaten
  command  npm run y`);
  });

  it('is judged by the 90th percentile, and provisionally by fewer than ten sessions', () => {
    const bola = stalls('bola', 0.1, 10);
    expect(verdict([...bola, ...stalls('voxel', 0.02, 10)])).toContain(
      '| −80.0 %: 10.00 % → 2.00 % (n = 10) | beaten | w |',
    );
    expect(verdict([...bola, ...stalls('voxel', 0.03, 10)])).toContain('| reproduced | w |');
    expect(verdict([...bola, ...stalls('voxel', 0.06, 10)])).toContain('| not reproduced | w |');
    expect(verdict([...bola, ...stalls('voxel', 0.02, 9)])).toContain('(n = 9) | so far beaten |');
  });

  it('may rest on no sessions at all, and then has a verdict at once', () => {
    const computed = { ...claim(undefined), computed: () => ({ ours: '1', verdict: 'reproduced' as const }) };
    expect(claimsTable([computed], new Map())).toContain('| 1 | reproduced | w |');
  });

  it('is not yet measured without sessions of both', () => {
    expect(verdict(stalls('voxel', 0, 10))).toContain('| – | not yet measured | o |');
    expect(claimsTable([less], new Map())).toContain('| – | not yet measured | o |');
  });
});
