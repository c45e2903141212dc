// @ts-check
// `npm test`: every check and every test of every language, from a fresh clone.
import { check } from './check.mjs';
import { ensureChrome } from './setup/chrome.mjs';
import { ensureFirefox } from './setup/firefox.mjs';
import { ensureBuild } from './setup/node.mjs';
import { canBuildQuiche, cargo, ensureQuicheServer, hasCargo } from './setup/rust.mjs';
import { root, venvProgram } from './setup/paths.mjs';
import { run, runCommand, say } from './setup/process.mjs';
import { ensureSample } from './start/sample.mjs';

await runCommand(async () => {
  const started = Date.now();
  const chrome = await ensureChrome();
  await ensureFirefox();
  await check();
  await ensureBuild();
  await ensureSample();
  const env = { ...process.env, CHROME: chrome };
  for (const project of ['manifests', 'server/aioquic']) {
    say(`\ntests of ${project}`);
    await run(venvProgram('pytest'), ['-q', project], { cwd: root, env });
  }
  if (hasCargo()) {
    say('\ntests of test/link');
    await cargo('test/link', ['test', '--locked', '--quiet']);
    say('\ntests of server/quiche');
    const parts = canBuildQuiche() ? ['--workspace'] : ['-p', 'voxel-protocol'];
    await cargo('server/quiche', ['test', '--release', '--locked', '--quiet', ...parts]);
  }
  if (canBuildQuiche()) await ensureQuicheServer();
  else say('\nthe quiche server is left out: it needs cargo, cmake and libclang');
  say('\ntests of server/conformance');
  await run(venvProgram('pytest'), ['-q', 'server/conformance'], { cwd: root, env });
  for (const project of ['unit', 'package', 'browser', 'browser-alone']) {
    say(`\ntests: ${project}`);
    await run('npx', ['vitest', 'run', '--project', project], { cwd: root, env });
  }
  say(`all tests passed in ${Math.round((Date.now() - started) / 1000)} s`);
});
