import { describe, expect, it } from 'vitest';
import { createAbr } from '../../lab/rivals/registry.js';
import { strategyOf } from '../../lab/strategies/strategies.js';
import { resolveOptions } from './options.js';

describe('resolveOptions', () => {
  it("means the same by the plugin's rule and by its name: the full build has the rule", () => {
    const { rule: named, ...byName } = resolveOptions({ abr: 'abr-star' });
    const { rule, ...byRule } = resolveOptions({ abr: createAbr('abr-star') });
    expect(byRule).toEqual(byName);
    expect(rule?.name).toBe(named?.name);
    expect(byRule.preferences.withDeadlines).toBe(true);
  });

  it('has no deadlines for rules that were published without, nor where the strategy has none', () => {
    expect(resolveOptions({ abr: createAbr('bola-e') }).preferences.withDeadlines).toBe(false);
    expect(resolveOptions({ strategy: strategyOf('clipstream') }).preferences.withDeadlines).toBe(false);
  });

  it('asks for nothing again where the page does not want it', () => {
    expect(resolveOptions({ refetch: false }).preferences.strategy).toMatchObject({
      recovery: false,
      retransmission: false,
    });
  });

  it('refuses a strategy by a name that the plain build does not know', () => {
    expect(() => resolveOptions({ strategy: 'hollywood' as 'voxel' })).toThrow(RangeError);
  });
});
