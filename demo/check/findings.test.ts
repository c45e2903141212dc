import { expect, it } from 'vitest';
import { ofDiscovery, ofSession } from './findings.js';

const refused = (endpoint: string): string =>
  ofSession({ kind: 'refused', ms: 3, message: 'Opening handshake failed.' }, endpoint, 1, undefined).advice!;

it('without hashes takes no certificate for trusted, and says which ones a rehearsal can have', () => {
  const outcome = { kind: 'answer', endpoint: 'https://localhost:8443/voxel', hashes: 0 } as const;
  expect(ofDiscovery(outcome, 'https://localhost:8443/.well-known/voxel.json', 'https://localhost:8443').seen).toBe(
    'https://localhost:8443/voxel, no certificate hash: browsers must trust the certificate as it is',
  );
  const failure = { kind: 'refused', ms: 3, message: 'Opening handshake failed.' } as const;
  expect(ofSession(failure, outcome.endpoint, 0, undefined).advice).toMatch(/of a public authority.*at most 14 days/);
});

it('a session that is refused: UDP and IPv6 are looked at before certificates', () => {
  for (const endpoint of ['https://localhost:4433/voxel', 'https://media.example/voxel', 'https://127.0.0.1:1/voxel'])
    expect(refused(endpoint)).toMatch(/^First UDP port \d+: .* Then the certificate: /);
});

it('localhost, which Chromium takes for ::1 alone, and names that may have an IPv6 address', () => {
  expect(refused('https://localhost:4433/voxel')).toMatch(/localhost for ::1 alone.*certificate/);
  expect(refused('https://media.example/voxel')).toMatch(/media\.example has an IPv6 address.*certificate/);
  for (const address of ['127.0.0.1', '[2001:db8::1]'])
    expect(refused(`https://${address}:4433/voxel`)).not.toContain('IPv6');
});
