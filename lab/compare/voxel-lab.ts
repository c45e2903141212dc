import { runCommand } from '../../tools/setup/process.mjs';
import { main } from './main.js';

await runCommand(() => main(process.argv.slice(2)));
