// @ts-check
// `npm run sbom`: what the published packages are made of, as CycloneDX documents.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { document, pythonComponents, rustComponents } from './sbom/lock-files.mjs';
import { parseCommandLine } from './setup/command-line.mjs';
import { root } from './setup/paths.mjs';
import { outputOf, runCommand, UserError } from './setup/process.mjs';

const USAGE = `Usage: npm run sbom [-- --out FOLDER]

Writes a software bill of materials (CycloneDX, JSON) for the Node packages (voxel-repair and voxel-lab have no dependencies), the Python packages and voxel-quiche, from their lock files: every
locked package; those that only tests and tools need are marked. --out: output/sbom by default.`;

/** @param {string} path */
const read = (path) => readFileSync(join(root, path), 'utf8');

/** npm marks what is for development with a property of its own. @returns {object} */
function ofNode() {
  const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--package-lock-only'];
  const text = outputOf('npm', ['sbom', '--prefix', root, ...options]);
  if (text === undefined) throw new UserError('npm sbom failed: npm ≥ 10 is required', 1);
  const document = /** @type {{ metadata: { component: { name: string } } }} */ (JSON.parse(text));
  document.metadata.component.name = 'voxel-dash'; // npm takes the folder's name
  return document;
}

/** @returns {object} */
function ofPython() {
  const used = new Set(pythonComponents(read('requirements/run.txt')).map(({ purl }) => purl));
  const components = ['tests', 'fuzzing', 'tools'].flatMap((name) =>
    pythonComponents(read(`requirements/${name}.txt`)),
  );
  const version = /^version = "(.*)"$/m.exec(read('server/aioquic/pyproject.toml'))?.[1] ?? '';
  const once = new Map(components.map((component) => [component.purl, component])).values();
  const marked = [...once].map((each) =>
    used.has(each.purl) ? each : { ...each, scope: /** @type {const} */ ('excluded') },
  );
  return document('voxel-dash-python', version, marked);
}

/** @returns {object} */
function ofRust() {
  const version = /^version = "(.*)"$/m.exec(read('server/quiche/Cargo.toml'))?.[1] ?? '';
  return document('voxel-quiche', version, rustComponents(read('server/quiche/Cargo.lock')));
}

/** @returns {void} */
function main() {
  const { values } = parseCommandLine({ options: { out: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const folder = values.out ?? join(root, 'output/sbom');
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries({ npm: ofNode(), python: ofPython(), rust: ofRust() })) {
    const path = join(folder, `${name}.cdx.json`);
    writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
    console.log(path);
  }
}

await runCommand(() => {
  main();
  return Promise.resolve();
});
