import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Abr } from '../../../src/abr-star/index.js';
import { UserError } from '../../../tools/setup/process.mjs';
import { strategyOf } from '../../strategies/strategies.js';
import type { Rule } from '../rule.js';
import { checkedRule } from './checked-rule.js';
import { dashRule, type DashRule } from './dash/dash-rule.js';
import { errorText } from './error-text.js';
import { registeredRules, withDashGlobal } from './dash/factory-maker.js';

/** What a file may hold: `Abr`, or a rule of dash.js, or something that makes one of them. */
const EXPECTED =
  'a default export with choose (voxel-dash) or getSwitchRequest (dash.js): a class, a function or an object';

/**
 * A rule that somebody else wrote, fresh for each session: of the module at an address, its default export, or what a script for pages has
 * given to `dashjs.FactoryMaker.getClassFactory`. Throws a `UserError` where it is none.
 */
export async function loadRule(name: string, url: string): Promise<() => Rule> {
  const file = basename(fileURLToPath(url));
  const value = await exported(url, file);
  const create = () => made(value, file);
  // What is wrong with it is said before anything is played.
  create();
  return () => ruleFor(name, file, create());
}

function ruleFor(name: string, file: string, instance: object): Rule {
  const strategy = strategyOf('voxel');
  if (isDashRule(instance)) {
    const abr = checkedRule(dashRule(name, file, instance), file);
    return { abr, deliveryOf: () => 'streams', strategy, inPieces: false, isPlayers: true };
  }
  const abr = checkedRule(instance as Abr, file);
  return { abr, deliveryOf: ({ delivery }) => delivery ?? abr.delivery ?? 'datagrams', strategy, inPieces: false };
}

async function exported(url: string, file: string): Promise<unknown> {
  const before = registeredRules().length;
  let module: { readonly default?: unknown };
  try {
    module = (await withDashGlobal(() => import(url))) as typeof module;
  } catch (error) {
    throw new UserError(`${file} cannot be loaded: ${errorText(error, file)}`);
  }
  const { default: value } = module;
  // A script for pages, read as CommonJS, exports an empty object.
  const isEmpty = value === undefined || (isObject(value) && Object.keys(value).length === 0 && isPlain(value));
  return isEmpty ? registeredRules().slice(before).at(-1) : value;
}

function made(value: unknown, file: string): object {
  let instance: unknown;
  try {
    instance = typeof value === 'function' ? instanceOf(value as Make) : value;
  } catch (error) {
    throw new UserError(`${file}: no rule can be made: ${errorText(error, file)}`);
  }
  if (isObject(instance) && (isDashRule(instance) || isAbr(instance))) return instance;
  throw new UserError(`${file} has no rule: expected ${EXPECTED}; got ${shapeOf(instance ?? value)}`);
}

type Make = ((...args: unknown[]) => unknown) & (new (...args: unknown[]) => unknown);

/** An instance of a class, of a class of dash.js with its `this.context`, or of what a function or a factory of `FactoryMaker` makes. */
function instanceOf(make: Make): unknown {
  const prototype = make.prototype as object | undefined;
  const isClass = /^class\b/.test(Function.prototype.toString.call(make));
  if (isClass || (prototype && (isAbr(prototype) || isDashRule(prototype)))) return new make();
  const context = {};
  const result = make.call({ context }, context);
  return isObject(result) && typeof result['create'] === 'function' ? (result['create'] as () => unknown)() : result;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const isPlain = (value: object) => Object.getPrototypeOf(value) === Object.prototype;

const isAbr = (value: object) => 'choose' in value && typeof value.choose === 'function';

function isDashRule(value: object): value is DashRule {
  return 'getSwitchRequest' in value && typeof value.getSwitchRequest === 'function';
}

function shapeOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (!isObject(value)) return `a ${typeof value}`;
  const names = Object.keys(value);
  return names.length === 0 ? 'an empty object' : `an object with ${names.slice(0, 5).join(', ')}`;
}
