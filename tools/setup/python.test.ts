import { expect, it } from 'vitest';
import { choosePython } from './python.mjs';

const versions: Readonly<Record<string, string>> = {
  python3: '3.9',
  'python3.12': '3.12',
  'python3.13': '3.13',
  '/opt/old/python': '3.10',
};
const version = (program: string) => versions[program];

it('takes the first usual Python that is new enough', () => {
  expect(choosePython(undefined, version)).toBe('python3.13');
});

it('takes the Python that PYTHON names, whatever others there are', () => {
  expect(choosePython('python3.12', version)).toBe('python3.12');
});

it.each(['/opt/old/python', 'python2', 'nothing'])(
  'refuses PYTHON=%s, which is no Python of 3.11 or newer',
  (named) => {
    expect(() => choosePython(named, version)).toThrow(`PYTHON must name a Python ≥ 3.11, got ${named}`);
  },
);

it('says which Pythons it has looked for where there is none', () => {
  expect(() => choosePython(undefined, () => undefined)).toThrow(/Python ≥ 3\.11 is required, found none as python3,/);
});
