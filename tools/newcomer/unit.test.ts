import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../setup/paths.mjs';
import { startOf } from './unit.mjs';

const UNIT = `[Service]
User=voxel
Environment=MEDIA=/none OPTIONS=
Environment="MEDIA=/srv/my media"
EnvironmentFile=-/etc/options
ExecStart=/bin/serve \${MEDIA} --name %i \\
  --port 1 $OPTIONS
StateDirectory=voxel
`;

test('a unit starts its command with variables from itself and from its files', () => {
  const files: Record<string, string> = { '/etc/options': '# mine\nOPTIONS=--a "b c"\n' };
  expect(startOf(UNIT, (path) => files[path], 'one')).toEqual({
    user: 'voxel',
    environment: { MEDIA: '/srv/my media', OPTIONS: '--a "b c"' },
    command: ['/bin/serve', '/srv/my media', '--name', 'one', '--port', '1', '--a', 'b c'],
    stateFolder: 'voxel',
  });
});

test('a file that a unit needs must be there, unless it may be missing', () => {
  expect(startOf(UNIT, () => undefined).command.slice(-2)).toEqual(['--port', '1']);
  expect(() => startOf(UNIT.replace('=-/', '=/'), () => undefined)).toThrow('/etc/options: no such file');
});

test.each(readdirSync(join(root, 'deploy')).filter((name) => name.endsWith('.service')))(
  '%s starts a program as a user of its own',
  (name) => {
    const unit = readFileSync(join(root, 'deploy', name), 'utf8');
    const { user, command } = startOf(unit, () => '', 'camera');
    expect(user).toBe('voxel');
    expect(command[0]).toMatch(/^\//);
    expect(command.join(' ')).not.toMatch(/\$/);
  },
);
