import type { Content } from '../content/content.js';
import type { Experiment, RuleByName } from '../experiment.js';
import { ruleOf, type Rule } from '../rule.js';
import { loadRule } from './load-rule.js';

/** All rules of an experiment by name, its own ones loaded. Throws a `UserError` where a file has no rule. */
export async function rulesOf({ own = {} }: Experiment, content: Content): Promise<RuleByName> {
  const loaded = new Map<string, () => Rule>();
  // One after the other: what a script for pages gives dash.js while it is read is that script's.
  for (const [name, url] of Object.entries(own)) loaded.set(name, await loadRule(name, url));
  // What one rule changes by mistake all others would be shown.
  if (loaded.size > 0) freeze(content);
  return (name) => loaded.get(name)?.() ?? ruleOf(name);
}

function freeze({ ladder, options }: Content): void {
  for (const list of [ladder, ...options]) Object.freeze(list).forEach(Object.freeze);
}
